#include <algorithm>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/ir/tracer.h"
#include "antler/runtime/config.h"
#include "distribute/remote_steps.h"
#include "distribute/strategy_impl.h"
#include "training/exact_evaluation.h"
#include "training/execution_hooks.h"
#include "training/loop.h"
#include "training/model_state.h"
#include "training/string_arrays.h"

namespace antler {
namespace training {

int resolve_verbose(const std::optional<int>& verbose) {
  return verbose.value_or(logging::is_interactive_logging_enabled() ? 1 : 2);
}

HostLogs in_order_of(std::vector<std::string> names, const Logs& logs) {
  const auto first_other = static_cast<std::ptrdiff_t>(names.size());
  for (const auto& [name, value] : logs.entries()) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::sort(names.begin() + first_other, names.end());
  Logs ordered;
  for (const std::string& name : names) {
    if (const Nest* value = logs.entries().find(name)) ordered[name] = *value;
  }
  return HostLogs(ordered);
}

Loop::Loop(Model& model) : model_(model), held_(model.model_), state_(*held_), scope_(state_) {
  if (ir::Tracer::current() != nullptr) {
    throw RuntimeError(
        "`fit`, `evaluate` and `predict` must not be called inside of a function that is being "
        "traced.");
  }
}

distribute::RemoteProcesses* Loop::remote_processes() const {
  return state_.strategy.implementation()->remote_processes(state_.strategy);
}

ops::ElasticGroup* Loop::elastic_group() const {
  return dynamic_cast<ops::ElasticGroup*>(state_.strategy.workers());
}

int64_t Loop::joined_steps(const DataHandler& data, bool is_observed_only) const {
  constexpr int64_t kMostSteps = 1024;
  const bool is_alone = state_.strategy.workers() == nullptr && !is_remote();
  const bool may_join = config::device() != "cpu" && is_alone && is_observed_only &&
                        !state_.autotune && data.steps_or_unknown() >= 0;
  if (!may_join) return 1;
  const int64_t execution = std::max<int64_t>(state_.steps_per_execution.value(), 1);
  return std::max<int64_t>(kMostSteps / execution, 1) * execution;
}

int64_t Loop::execute(DataHandler& data, StepRunner& runner, int64_t steps, Nest& outputs,
                      const Function::StepOutputs& each_step, int64_t period) {
  const auto run = [&] { return data.run(runner, steps, outputs, each_step, period); };
  return elastic_ == nullptr ? run() : elastic_->execute(data, run, outputs);
}

bool Loop::is_remote() const { return remote_processes() != nullptr; }

int Loop::verbosity(const std::optional<int>& verbose) const {
  return is_remote() ? verbose.value_or(2) : resolve_verbose(verbose);
}

void Loop::check_remote(const std::optional<int>& verbose) const {
  if (!is_remote()) return;
  if (verbose == 1) {
    throw ValueError(
        "`verbose=1` is not allowed under a ParameterServerStrategy: this process does not see "
        "single steps. Received: verbose=1.");
  }
  if (model_.run_eagerly())
    throw ValueError("`run_eagerly` is not supported under a ParameterServerStrategy.");
}

void Loop::check_batch_hooks(bool used) const {
  if (!used || !is_remote()) return;
  throw ValueError(
      "Batch-level callbacks are not supported under a ParameterServerStrategy: this process does "
      "not see single steps. Use epoch-level callbacks.");
}

bool Loop::is_exact_evaluation(DataHandler& data) const {
  const EvaluationShards& shards = state_.arguments.pss_evaluation_shards;
  if (!is_remote() || !(shards.is_auto() || shards.shards() > 0)) return false;
  if (data.source().num_batches() < 0) {
    throw ValueError(
        "`pss_evaluation_shards` needs data of a known, finite size, so that each batch is "
        "evaluated once.");
  }
  return true;
}

std::shared_ptr<CallbackList> Loop::make_callbacks(const Callbacks& given, int verbose,
                                                   int64_t epochs, int64_t steps) {
  const History::Params params{verbose, epochs, steps};
  if (given.list() == nullptr) {
    return std::make_shared<CallbackList>(given, /*add_history=*/true, /*add_progbar=*/verbose != 0,
                                          &model_, params);
  }
  given.list()->set_model(&model_);
  given.list()->set_params(params);
  return given.list();
}

HostLogs Loop::evaluate(const FitData& x, const Nest& y, const EvaluateOptions& options) {
  check_remote(options.verbose);
  const int verbose = verbosity(options.verbose);
  DataHandler::Arguments arguments = data_arguments(x, y, options.sample_weight, options);
  arguments.steps = options.steps;
  DataHandler data(arguments);
  warn_about_weights(options.sample_weight);
  const std::shared_ptr<CallbackList> callbacks =
      make_callbacks(options.callbacks, verbose, 1, data.steps_or_unknown());
  elastic_ = ElasticTraining::make(model_, elastic_group());
  if (elastic_ != nullptr) elastic_->enter(nullptr);
  const Logs logs = run_evaluation(data, *callbacks, x.is_source() ? Nest() : y, "y");
  elastic_ = nullptr;
  return in_order_of(model_.metrics_names(), logs);
}

void Loop::check_labels(StepRunner& runner, const Nest& y, const char* what) {
  if (y.is_none() || state_.loss == nullptr || !state_.loss->takes_labels()) return;
  runner.prepare();  // tracing a step determines the number of classes
  state_.loss->check_labels(y, what);
}

Logs Loop::run_evaluation(DataHandler& data, CallbackList& callbacks, const Nest& y,
                          const char* what) {
  std::optional<ExactEvaluation> exact;
  if (is_exact_evaluation(data)) exact.emplace(model_, *remote_processes());
  distribute::RemoteSteps* remote = remote_processes();
  if (exact) remote = &*exact;
  StepRunner runner(exact ? exact->function() : model_.make_test_function(), data.source(), remote);
  state_.test_counter = 0;
  data.restart();
  if (!data.has_batch())
    throw ValueError("Expected input data to be non-empty: it has no batches.");
  callbacks.on_test_begin();
  model_.reset_metrics();
  check_labels(runner, y, what);
  check_batch_hooks(callbacks.is_users(BatchHook::test_begin, BatchHook::test_end));
  const bool end_hook = !is_remote() && callbacks.uses(BatchHook::test_end);
  const int64_t joined = joined_steps(data, callbacks.async_test());
  const bool is_watched = callbacks.uses(BatchHook::test_begin) || end_hook;
  ExecutionHooks hooks(
      joined > 1 && is_watched ? state_.steps_per_execution.value() : 0,
      [&](int64_t step) { callbacks.on_test_batch_begin(step); },
      [&](int64_t last_step, const Nest& logs) {
        if (end_hook) callbacks.on_test_batch_end(last_step, Logs(logs));
      });
  Nest outputs;
  run_executions(
      data, 0, joined, [&](int64_t step) { hooks.begin(step); },
      [&](int64_t steps) {
        return execute(data, runner, steps, outputs, hooks.each_execution(), hooks.period());
      },
      [&](int64_t last_step, int64_t done) {
        state_.test_counter += done;
        if (done > 0) hooks.end(last_step, outputs);
        return true;
      });
  runner.join();
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
HostLogs Model::evaluate(const FitData& x, const Arrays& y, const EvaluateOptions& options) const {
  require_compiled("evaluate");
  training::refuse_strings(*model_, x, y);
  return training::Loop(const_cast<Model&>(*this)).evaluate(x, y, options);  // a handle
}
template HostLogs Model::evaluate<void>(const FitData&, const Arrays&,
                                        const EvaluateOptions&) const;

HostLogs Model::evaluate(const FitData& x, const EvaluateOptions& options) const {
  return evaluate(x, Arrays(), options);
}

HostLogs Model::evaluate_generator(const FitData& generator, const EvaluateOptions& options) {
  logging::warning(
      "`Model.evaluate_generator` is deprecated. Use `Model.evaluate`, which takes generators.");
  return evaluate(generator, options);
}

}  // namespace antler
