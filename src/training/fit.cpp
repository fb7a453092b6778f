#include <algorithm>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/data/array_source.h"
#include "antler/nn/random_seed.h"
#include "antler/runtime/config.h"
#include "antler/training/steps_per_execution_tuner.h"
#include "training/loop.h"
#include "training/model_state.h"
#include "training/trainable_state.h"

// fit: the loop over epochs.

namespace antler {
namespace training {
namespace {

/// Cuts the tail off the arrays of fit for validation.
struct Parts {
  FitData x;
  Nest y;
  Nest sample_weight;
  ValidationData validation;
};

Parts split(const FitData& x, const Nest& y, const FitOptions& options) {
  if (options.validation_data.given() || options.validation_split == 0.0)
    return {x, y, options.sample_weight, options.validation_data};
  if (x.is_source()) {
    throw ValueError(
        "`validation_split` is only supported for arrays. `x` is a data set, a generator or a "
        "sequence: give `validation_data` instead.");
  }
  auto [train, tail] =
      data::split_tail(Nest{x.arrays(), y, options.sample_weight}, options.validation_split);
  return {train[0], train[1], train[2], {tail[0], tail[1], tail[2]}};
}

/// While one fit() runs inside of another, in a callback: the outer one's history is kept.
class OuterHistory {
 public:
  explicit OuterHistory(ModelState& state) : state_(state), nested_(state.fits) {
    if (nested_) kept_ = state.history;
    state_.fits = true;
  }
  ~OuterHistory() {
    if (nested_) state_.history = std::move(kept_);
    state_.fits = nested_;
  }
  OuterHistory(const OuterHistory&) = delete;
  OuterHistory& operator=(const OuterHistory&) = delete;

 private:
  ModelState& state_;
  bool nested_;
  History kept_;
};

/// As many epochs as are asked for, or the most that the configuration allows.
int64_t allowed_epochs(int64_t epochs) {
  const std::optional<int64_t> most = config::max_epochs();
  if (!most || epochs <= *most) return epochs;
  logging::warning("Limiting epochs to " + std::to_string(*most));
  return *most;
}

bool same_keys(const Logs& a, const Logs& b) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const auto& entry) {
           return b.contains(entry.first);
         });
}

}  // namespace

History Loop::fit(const FitData& x, const Nest& y, const FitOptions& options) {
  options.validation_freq.check();
  const int64_t epochs = allowed_epochs(options.epochs);
  check_positive("validation_batch_size", options.validation_batch_size);
  check_positive("validation_steps", options.validation_steps);
  const int verbose = resolve_verbose(options.verbose);
  const Parts parts = split(x, y, options);

  DataHandler::Arguments arguments = data_arguments(parts.x, parts.y, parts.sample_weight, options);
  arguments.source.shuffle = options.shuffle.value();
  if (arguments.source.shuffle != Shuffle::none) arguments.source.seed = next_random_seed();
  arguments.source.class_weight = options.class_weight;
  arguments.steps = options.steps_per_epoch;
  arguments.steps_name = "steps_per_epoch";
  arguments.initial_epoch = options.initial_epoch;
  arguments.epochs = epochs;
  DataHandler data(arguments);

  const CompiledTrainable trainable(model_, state_.trainable);
  const OuterHistory outer(state_);
  const std::shared_ptr<CallbackList> callbacks = this->callbacks(
      options.callbacks, /*history=*/true, verbose, epochs, data.steps_or_unknown());
  state_.stop_training = false;
  StepRunner runner(model_.make_train_function(), data.source());
  state_.train_counter = 0;
  state_.resume.reset();
  state_.shuffle_seed = arguments.source.seed;
  callbacks->on_train_begin();
  TunerScope tuner(state_.tuner_in_use());

  int64_t epoch = options.initial_epoch;
  int64_t first_step = 0;
  if (state_.resume) {  // a callback has found that an earlier run got further
    state_.shuffle_seed = state_.resume->shuffle_seed.value_or(state_.shuffle_seed);
    data.source().set_seed(state_.shuffle_seed);
    state_.train_counter = data.skip_epochs(state_.resume->epoch - epoch);
    epoch = state_.resume->epoch;
    first_step = state_.resume->step;
  }
  std::unique_ptr<DataHandler> validation;  // made at the first validation, kept for the others
  Logs training_logs;
  for (bool first = true; epoch < epochs && !data.insufficient(); ++epoch, first = false) {
    data.begin_epoch();
    state_.train_counter += data.skip_steps(first_step);
    if (!data.has_batch()) {
      if (first) {
        throw ValueError(
            "Expected input data to be non-empty: no batch came in the first epoch (unexpected "
            "result of the train function: empty logs).");
      }
      data.data_ended(0);  // an epoch without a step is not reported
      break;
    }
    // Metrics exist from the first step on; those of an epoch that goes on are restored before it.
    if (first_step > 0) runner.prepare();
    model_.reset_metrics();
    callbacks->on_epoch_begin(epoch);
    if (first && !parts.x.is_source()) check_labels(runner, parts.y, "y");
    Nest outputs;
    train_epoch(data, runner, *callbacks, std::exchange(first_step, 0), outputs);
    Logs epoch_logs = final_logs(outputs);
    if (parts.validation.given() && options.validation_freq.includes(epoch)) {
      Nest unseen;  // targets that nobody has looked at
      if (validation == nullptr) {
        if (!parts.validation.x.is_source()) unseen = parts.validation.y;
        DataHandler::Arguments from = data_arguments(parts.validation.x, parts.validation.y,
                                                     parts.validation.sample_weight, options);
        from.source.batch_size = options.validation_batch_size.has_value()
                                     ? options.validation_batch_size
                                     : options.batch_size;
        from.steps = options.validation_steps;
        from.steps_name = "validation_steps";
        validation = std::make_unique<DataHandler>(from);
      }
      const Logs results = run_evaluation(*validation, *callbacks, unseen, "validation_data");
      for (const auto& [name, value] : results.entries()) epoch_logs["val_" + name] = value;
    }
    training_logs = epoch_logs;  // without what callbacks add
    callbacks->on_epoch_end(epoch, std::move(epoch_logs));
    if (state_.stop_training) break;
    data.source().on_epoch_end();
  }
  if (state_.optimizer != nullptr)
    state_.optimizer->finalize_variable_values(model_.trainable_variables());
  tuner.stop();
  callbacks->on_train_end(std::move(training_logs));
  return state_.history;
}

int64_t Loop::train_epoch(DataHandler& data, StepRunner& runner, CallbackList& callbacks,
                          int64_t first_step, Nest& outputs) {
  const bool end_hook = callbacks.uses(BatchHook::train_end);
  int64_t current = first_step;
  while (data.wants_more(current)) {
    // Asked before the hook: where the data has ended there is no begin without an end.
    if (!data.has_batch()) {
      data.data_ended(current);
      break;
    }
    // Read anew for each execution: it may change between them.
    const int64_t n = data.execution_steps(current, state_.steps_per_execution.value());
    callbacks.on_train_batch_begin(current);
    const int64_t done = data.run(runner, n, outputs);
    current += done;
    state_.train_counter += done;
    state_.steps_per_execution.add_steps(done);
    if (end_hook && done > 0) callbacks.on_train_batch_end(current - 1, Logs(outputs));
    if (done < n) {
      data.data_ended(current);
      break;
    }
    if (state_.stop_training) break;
  }
  return current - first_step;
}

Logs Loop::final_logs(const Nest& outputs) const {
  Logs logs(outputs);
  // Metrics hold the value of the whole epoch. A custom step function may return other names.
  Logs results = model_.get_metrics_result();
  return same_keys(results, logs) ? results : logs;
}

}  // namespace training

template <class>
History Model::fit(const FitData& x, const Arrays& y, const FitOptions& options) {
  require_compiled("fit");
  return training::Loop(*this).fit(x, y, options);
}
template History Model::fit<void>(const FitData&, const Arrays&, const FitOptions&);

History Model::fit(const FitData& x, const FitOptions& options) {
  return fit(x, Arrays(), options);
}

History Model::fit_generator(const FitData& generator, const FitOptions& options) {
  logging::warning("`Model.fit_generator` is deprecated. Use `Model.fit`, which takes generators.");
  return fit(generator, options);
}

}  // namespace antler
