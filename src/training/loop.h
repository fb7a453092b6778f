#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/training/model.h"
#include "training/data_handler.h"
#include "training/elastic_training.h"
#include "training/model_state.h"

namespace antler::distribute {
class RemoteProcesses;
}

namespace antler::training {

/// The data of one fit(), after `validation_split` was applied.
struct FitParts {
  FitData x;
  Nest y;
  Nest sample_weight;
  ValidationData validation;
};

/// The training loop of one call of fit, evaluate or predict.
class Loop {
 public:
  explicit Loop(Model& model);

  History fit(const FitData& x, const Nest& y, const FitOptions& options);
  HostLogs evaluate(const FitData& x, const Nest& y, const EvaluateOptions& options);
  Nest predict(const FitData& x, const PredictOptions& options);

 private:
  /// The processes that run the steps; null if this process runs them.
  distribute::RemoteProcesses* remote_processes() const;
  bool is_remote() const;
  /// The verbosity of fit and evaluate for the user's `verbose`.
  int verbosity(const std::optional<int>& verbose) const;
  /// Throws ValueError for arguments that remote steps do not support.
  void check_remote(const std::optional<int>& verbose) const;
  void check_batch_hooks(bool used) const;
  /// Whether each batch counts exactly once even if a process is lost. Throws ValueError for data
  /// of unknown size.
  bool is_exact_evaluation(DataHandler& data) const;
  std::shared_ptr<CallbackList> make_callbacks(const Callbacks& given, int verbose, int64_t epochs,
                                               int64_t steps);
  /// The group of workers if it may change, otherwise null.
  ops::ElasticGroup* elastic_group() const;
  /// The arguments of a DataHandler that fit, evaluate and predict share.
  template <class Options>
  DataHandler::Arguments data_arguments(const FitData& x, const Nest& y, const Nest& weights,
                                        const Options& options) const {
    return {.x = x,
            .y = y,
            .sample_weight = weights,
            .source = {.batch_size = options.batch_size,
                       .max_queue_size = options.max_queue_size,
                       .workers = options.workers,
                       .use_multiprocessing = options.use_multiprocessing,
                       .input = state_.strategy.input_context()},
            .steps_per_execution = state_.steps_per_execution.value(),
            .autotune = state_.autotune,
            .workers = state_.strategy.workers(),
            .replays = elastic_group() != nullptr};
  }
  /// Runs `steps` steps; for `each_step` and `period` see Program::run().
  int64_t execute(DataHandler& data, StepRunner& runner, int64_t steps, Nest& outputs,
                  const Function::StepOutputs& each_step = {}, int64_t period = 0);
  /// The minimum number of steps of a run. A device waits while results are read, so on a device
  /// several executions run as one if nothing can change between them.
  int64_t joined_steps(const DataHandler& data, bool is_observed_only) const;
  /// Runs the executions of an epoch from step `current` on, each of `at_least` steps if
  /// steps_per_execution is smaller. For each it calls `before(current)`, `run(steps)`, which
  /// returns how many steps were done, and `after(last_step, done)`, which returns false to stop.
  template <class Before, class Run, class After>
  void run_executions(DataHandler& data, int64_t current, int64_t at_least, const Before& before,
                      const Run& run, const After& after) {
    while (data.wants_more(current)) {
      // Checked first, so that `before` is never called without `after` when the data ends.
      if (!data.has_batch()) return data.data_ended(current);
      // Read for each execution, because callbacks and the tuner may change it.
      const int64_t steps =
          data.execution_steps(current, std::max(at_least, state_.steps_per_execution.value()));
      before(current);
      const int64_t done = run(steps);
      current += done;
      const bool go_on = after(current - 1, done);
      if (done < steps) return data.data_ended(current);
      if (!go_on) return;
    }
  }

  // ---- fit ----
  DataHandler::Arguments training_arguments(const FitParts& parts, const FitOptions& options,
                                            int64_t epochs) const;
  /// Where training starts: at `initial_epoch`, or at the point of a callback's resume_at(); in
  /// that case the data is advanced to it.
  ResumePoint starting_point(DataHandler& data, int64_t initial_epoch);
  /// Runs all epochs, or the remaining ones if this process has `joined` a running training.
  /// Returns the logs of the last epoch without values that callbacks added.
  Logs train_epochs(const FitParts& parts, const FitOptions& options, int64_t epochs,
                    DataHandler& data, StepRunner& runner, CallbackList& callbacks,
                    std::optional<TrainingState> joined);
  /// Tells the callbacks if another process has become the chief; for the arguments see
  /// Callback::take_over().
  void check_chief(CallbackList& callbacks, std::optional<int64_t> ended = {},
                   const Logs& logs = {});
  /// Makes fit() continue from the state of the training that it joined.
  void follow(const TrainingState& joined, CallbackList& callbacks);
  /// Starts a pass over the data at step `first_step`. Returns false if there are no batches;
  /// throws ValueError if that happens in the first epoch.
  bool begin_epoch(DataHandler& data, int64_t first_step, bool is_first_epoch);
  /// Whether `answer` is true in any worker.
  bool in_any_worker(bool answer) const;
  Logs train_epoch(DataHandler& data, StepRunner& runner, CallbackList& callbacks, int64_t epoch,
                   int64_t first_step, bool has_joined);
  /// Evaluates the validation data and adds the results to `logs` with the prefix "val_".
  void validate(const ValidationData& validation, const FitOptions& options,
                CallbackList& callbacks, Logs& logs);

  // ---- fit and evaluate ----
  /// The epoch's logs: the current values of the model's metrics if the step function returns
  /// exactly these, else what the last step returned.
  Logs final_logs(const Nest& outputs) const;
  /// `y`: the targets of all samples if they are arrays, for checking; `what` names them in errors.
  Logs run_evaluation(DataHandler& data, CallbackList& callbacks, const Nest& y, const char* what);
  /// CompiledLoss::check_labels() for the targets that `runner` is about to read.
  void check_labels(StepRunner& runner, const Nest& y, const char* what);
  void warn_about_weights(const Nest& weights);

  Model& model_;
  std::shared_ptr<ModelState> held_;  // a callback may give the model another state
  ModelState& state_;
  OwnScope scope_;
  std::unique_ptr<DataHandler> validation_;   // created by the first validation
  bool is_chief_ = false;                     // at the last check_chief()
  std::unique_ptr<ElasticTraining> elastic_;  // null unless the group of workers may change
};

/// The verbosity to use if `verbose` is not given.
int resolve_verbose(const std::optional<int>& verbose);
/// Entries in the order of `names`, then the others by name.
HostLogs in_order_of(std::vector<std::string> names, const Logs& logs);

}  // namespace antler::training
