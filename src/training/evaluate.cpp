#include <algorithm>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/ir/tracer.h"
#include "training/loop.h"
#include "training/model_state.h"

// evaluate, and what the three loops have in common.

namespace antler {
namespace training {

int resolve_verbose(const std::optional<int>& verbose) {
  return verbose.value_or(logging::is_interactive_logging_enabled() ? 1 : 2);
}

HostLogs in_order_of(std::vector<std::string> names, const Logs& logs) {
  const auto first = static_cast<std::ptrdiff_t>(names.size());
  for (const auto& [name, value] : logs.entries())
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  std::sort(names.begin() + first, names.end());
  Logs ordered;
  for (const std::string& name : names)
    if (const Nest* value = logs.entries().find(name)) ordered[name] = *value;
  return HostLogs(ordered);
}

Loop::Loop(Model& model) : model_(model), held_(model.model_), state_(*held_), scope_(state_) {
  if (ir::Tracer::current() != nullptr) {
    throw RuntimeError(
        "`fit`, `evaluate` and `predict` must not be called inside of a function that is being "
        "traced.");
  }
}

std::shared_ptr<CallbackList> Loop::callbacks(const Callbacks& given, bool history, int verbose,
                                              int64_t epochs, int64_t steps) {
  if (given.list() != nullptr) {
    given.list()->set_model(&model_);
    given.list()->set_params({verbose, epochs, steps});
    return given.list();
  }
  return std::make_shared<CallbackList>(given, history, /*add_progbar=*/verbose != 0, &model_,
                                        History::Params{verbose, epochs, steps});
}

template <class Options>
DataHandler::Arguments Loop::data_arguments(const FitData& x, const Nest& y, const Nest& weights,
                                            const Options& options) const {
  return {.x = x,
          .y = y,
          .sample_weight = weights,
          .source = {.batch_size = options.batch_size,
                     .max_queue_size = options.max_queue_size,
                     .workers = options.workers,
                     .use_multiprocessing = options.use_multiprocessing},
          .steps_per_execution = state_.steps_per_execution.value(),
          .autotune = state_.autotune};
}
template DataHandler::Arguments Loop::data_arguments(const FitData&, const Nest&, const Nest&,
                                                     const FitOptions&) const;
template DataHandler::Arguments Loop::data_arguments(const FitData&, const Nest&, const Nest&,
                                                     const PredictOptions&) const;

HostLogs Loop::evaluate(const FitData& x, const Nest& y, const EvaluateOptions& options) {
  const int verbose = resolve_verbose(options.verbose);
  DataHandler::Arguments arguments = data_arguments(x, y, options.sample_weight, options);
  arguments.steps = options.steps;
  DataHandler data(arguments);
  warn_about_weights(options.sample_weight);
  const std::shared_ptr<CallbackList> callbacks =
      this->callbacks(options.callbacks, /*history=*/true, verbose, 1, data.steps_or_unknown());
  const Logs logs = run_evaluation(data, *callbacks, x.is_source() ? Nest() : y);
  return in_order_of(model_.metrics_names(), logs);
}

void Loop::check_labels(StepRunner& runner, const Nest& y, const char* what) {
  if (y.is_none() || state_.loss == nullptr || !state_.loss->takes_labels()) return;
  runner.prepare();  // traces a step, which tells the number of classes
  state_.loss->check_labels(y, what);
}

Logs Loop::run_evaluation(DataHandler& data, CallbackList& callbacks, const Nest& y,
                          const char* what) {
  StepRunner runner(model_.make_test_function(), data.source());
  state_.test_counter = 0;
  data.restart();
  if (!data.has_batch()) throw ValueError("Expected input data to be non-empty: no batch came.");
  callbacks.on_test_begin();
  model_.reset_metrics();
  check_labels(runner, y, what);
  const bool end_hook = callbacks.uses(BatchHook::test_end);
  Nest outputs;
  int64_t current = 0;
  while (data.wants_more(current)) {
    if (!data.has_batch()) {
      data.data_ended(current);
      break;
    }
    const int64_t n = data.execution_steps(current, state_.steps_per_execution.value());
    callbacks.on_test_batch_begin(current);
    const int64_t done = data.run(runner, n, outputs);
    current += done;
    state_.test_counter += done;
    if (end_hook && done > 0) callbacks.on_test_batch_end(current - 1, Logs(outputs));
    if (done < n) {
      data.data_ended(current);
      break;
    }
  }
  return callbacks.on_test_end(final_logs(outputs));
}

void Loop::warn_about_weights(const Nest& weights) {
  if (weights.is_none() || state_.arguments.weighted_metrics.given() || state_.warned_about_weights)
    return;
  state_.warned_about_weights = true;
  logging::warning(
      "`evaluate()` received a value for `sample_weight`, but `weighted_metrics` were not "
      "provided. Did you mean to pass metrics to `weighted_metrics` in `compile()`? If this is "
      "intentional you can pass an empty list of `weighted_metrics` to silence this warning.");
}

}  // namespace training

template <class>
HostLogs Model::evaluate(const FitData& x, const Arrays& y, const EvaluateOptions& options) {
  require_compiled("evaluate");
  return training::Loop(*this).evaluate(x, y, options);
}
template HostLogs Model::evaluate<void>(const FitData&, const Arrays&, const EvaluateOptions&);

HostLogs Model::evaluate(const FitData& x, const EvaluateOptions& options) {
  return evaluate(x, Arrays(), options);
}

HostLogs Model::evaluate_generator(const FitData& generator, const EvaluateOptions& options) {
  logging::warning(
      "`Model.evaluate_generator` is deprecated. Use `Model.evaluate`, which takes generators.");
  return evaluate(generator, options);
}

}  // namespace antler
