#include <algorithm>
#include <cmath>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/log.h"
#include "antler/data/array_source.h"
#include "antler/nn/random_seed.h"
#include "antler/training/model.h"
#include "antler/training/step_runner.h"
#include "training/model_state.h"

// fit, evaluate and the loop over epochs and executions (Keras 2's data handler).

namespace antler {
namespace {

int resolve_verbose(const std::optional<int>& verbose) {
  return verbose.value_or(log::is_interactive_logging_enabled() ? 1 : 2);
}

void check_positive(const char* name, const std::optional<int64_t>& value) {
  if (value.has_value() && *value <= 0) {
    throw ValueError(std::string("`") + name +
                     "` must be positive. Received: " + std::to_string(*value) + ".");
  }
}

/// Number of steps of an epoch: what was asked for, else what the data has.
int64_t infer_steps(const std::optional<int64_t>& asked, const DataSource& data) {
  return asked.has_value() ? *asked : data.num_batches();
}

}  // namespace

History Model::fit(const Nest& x, const Nest& y, const FitOptions& options) {
  require_compiled("fit");
  check_positive("batch_size", options.batch_size);
  check_positive("epochs", options.epochs);
  check_positive("steps_per_epoch", options.steps_per_epoch);
  check_positive("validation_batch_size", options.validation_batch_size);
  check_positive("validation_freq", options.validation_freq);
  check_positive("steps_per_execution", model_->steps_per_execution);
  if (options.initial_epoch < 0) {
    throw ValueError("`initial_epoch` must not be negative. Received: " +
                     std::to_string(options.initial_epoch) + ".");
  }
  const int verbose = resolve_verbose(options.verbose);

  Nest train_x = x;
  Nest train_y = y;
  Nest train_weight = options.sample_weight;
  ValidationData validation = options.validation_data;
  if (!validation.given() && options.validation_split != 0.0) {
    auto [train, tail] =
        data::split_tail(Nest{x, y, options.sample_weight}, options.validation_split);
    train_x = train[0];
    train_y = train[1];
    train_weight = train[2];
    validation = {tail[0], tail[1], tail[2]};
  }
  const int64_t batch_size = options.batch_size.value_or(32);
  const std::unique_ptr<DataSource> source =
      data::array_source(train_x, train_y, train_weight,
                         {.batch_size = batch_size,
                          .shuffle = options.shuffle,
                          .seed = options.shuffle ? next_random_seed() : 0,
                          .class_weight = options.class_weight});
  const int64_t steps = infer_steps(options.steps_per_epoch, *source);

  CallbackList callbacks(options.callbacks, /*add_history=*/true, /*add_progbar=*/verbose != 0,
                         this, {verbose, options.epochs, steps});
  model_->stop_training = false;
  StepRunner runner(make_train_function(), *source);
  std::unique_ptr<DataSource>
      validation_source;  // made at the first validation, kept for the others

  callbacks.on_train_begin();
  HostLogs training_logs;
  // With a step count other than the data's, one pass over the data goes on over all epochs.
  const bool restart_each_epoch = steps == source->num_batches();
  bool insufficient = false;
  source->reset();
  for (int64_t epoch = options.initial_epoch; epoch < options.epochs && !insufficient; ++epoch) {
    if (epoch != options.initial_epoch && restart_each_epoch) source->reset();
    reset_metrics();
    callbacks.on_epoch_begin(epoch);
    Nest outputs;
    int64_t current = 0;
    while (current < steps) {
      // Read anew for each execution: it may change between them.
      const int64_t n =
          std::min(std::max<int64_t>(model_->steps_per_execution, 1), steps - current);
      if (source->batch_rows() == 0) {
        insufficient = true;
        break;
      }
      callbacks.on_train_batch_begin(current);
      const int64_t done = runner.run(n, outputs);
      current += done;
      HostLogs logs = to_host(outputs);
      callbacks.on_train_batch_end(current - 1, logs);
      if (done < n) insufficient = true;
      if (insufficient || model_->stop_training) break;
    }
    if (insufficient) {
      log::warning(
          "Your input ran out of data; interrupting training. Make sure that your data can "
          "generate at least "
          "`steps_per_epoch * epochs` batches (in this case, " +
          std::to_string((options.epochs - options.initial_epoch) * steps) + " batches). " +
          std::to_string(current) + " steps of this epoch were done.");
      if (current == 0) break;
    }
    HostLogs epoch_logs = to_host(outputs);
    // Metrics hold the value of the whole epoch; a step function of the user may return other
    // names.
    const Logs results = get_metrics_result();
    const bool same_names = results.size() == epoch_logs.size() &&
                            std::all_of(results.begin(), results.end(), [&](const auto& entry) {
                              return epoch_logs.contains(entry.first);
                            });
    if (same_names) {
      epoch_logs.clear();
      for (const auto& [name, value] : results) epoch_logs[name] = value.tensor().item();
    }
    if (validation.given() && (epoch + 1) % options.validation_freq == 0) {
      if (validation_source == nullptr) {
        validation_source =
            data::array_source(validation.x, validation.y, validation.sample_weight,
                               {.batch_size = options.validation_batch_size.value_or(batch_size)});
      }
      for (const auto& [name, value] :
           evaluate_source(*validation_source, callbacks, options.validation_steps)) {
        epoch_logs["val_" + name] = value;
      }
    }
    callbacks.on_epoch_end(epoch, epoch_logs);
    training_logs = epoch_logs;
    if (model_->stop_training) break;
  }
  if (model_->optimizer != nullptr)
    model_->optimizer->finalize_variable_values(trainable_variables());
  callbacks.on_train_end(training_logs);
  return model_->history;
}

HostLogs Model::evaluate_source(DataSource& source, CallbackList& callbacks,
                                std::optional<int64_t> asked_steps) {
  const int64_t steps = infer_steps(asked_steps, source);
  StepRunner runner(make_test_function(), source);
  source.reset();
  callbacks.on_test_begin();
  reset_metrics();
  Nest outputs;
  int64_t current = 0;
  while (current < steps && source.batch_rows() > 0) {
    const int64_t n = std::min(std::max<int64_t>(model_->steps_per_execution, 1), steps - current);
    callbacks.on_test_batch_begin(current);
    current += runner.run(n, outputs);
    HostLogs logs = to_host(outputs);
    callbacks.on_test_batch_end(current - 1, logs);
  }
  if (current < steps) {
    log::warning("Your input ran out of data; interrupting evaluation after " +
                 std::to_string(current) + " of " + std::to_string(steps) + " steps.");
  }
  HostLogs logs = to_host(outputs);
  callbacks.on_test_end(logs);
  return logs;
}

HostLogs Model::evaluate(const Nest& x, const Nest& y, const EvaluateOptions& options) {
  require_compiled("evaluate");
  check_positive("batch_size", options.batch_size);
  check_positive("steps", options.steps);
  const int verbose = resolve_verbose(options.verbose);
  const std::unique_ptr<DataSource> source = data::array_source(
      x, y, options.sample_weight, {.batch_size = options.batch_size.value_or(32)});
  CallbackList callbacks(options.callbacks, /*add_history=*/false, /*add_progbar=*/verbose != 0,
                         this, {verbose, 1, infer_steps(options.steps, *source)});
  return evaluate_source(*source, callbacks, options.steps);
}

}  // namespace antler
