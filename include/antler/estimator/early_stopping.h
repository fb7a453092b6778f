#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "antler/estimator/estimator.h"

namespace antler::estimator {

/// Options of EarlyStopping.
struct EarlyStoppingOptions {
  std::optional<std::string> eval_dir = {};     ///< not given: estimator.eval_dir()
  int64_t min_steps = 0;                        ///< evaluations before this step do not count
  std::optional<double> run_every_secs = 60;    ///< seconds between checks
  std::optional<int64_t> run_every_steps = {};  ///< steps between checks
};

/// Hooks that stop training depending on metrics in the event files of evaluations
/// (tf.estimator.experimental). Throw ValueError if both cadences are given.
HookPtr stop_if_higher_hook(const Estimator& estimator, const std::string& metric_name,
                            double threshold, const EarlyStoppingOptions& options = {});
HookPtr stop_if_lower_hook(const Estimator& estimator, const std::string& metric_name,
                           double threshold, const EarlyStoppingOptions& options = {});
HookPtr stop_if_no_increase_hook(const Estimator& estimator, const std::string& metric_name,
                                 int64_t max_steps_without_increase,
                                 const EarlyStoppingOptions& options = {});
HookPtr stop_if_no_decrease_hook(const Estimator& estimator, const std::string& metric_name,
                                 int64_t max_steps_without_decrease,
                                 const EarlyStoppingOptions& options = {});
/// The same with a function that decides. Adds the variable "signal_early_stopping/STOP" to
/// checkpoints.
HookPtr make_early_stopping_hook(const Estimator& estimator, std::function<bool()> should_stop_fn,
                                 std::optional<double> run_every_secs = 60,
                                 std::optional<int64_t> run_every_steps = {});

/// Options of in_memory_evaluator_hook().
struct InMemoryEvaluatorHookOptions {
  std::optional<int64_t> steps = {};  ///< batches per evaluation; not given: all
  Hooks hooks = {};                   ///< called around the steps
  std::optional<std::string> name = {};
  int64_t every_n_iter = 100;  ///< runs between evaluations
};

/// Evaluates during training, with the variables in memory: when the session is created, after
/// every n runs, and at the end. Throws ValueError for every_n_iter <= 0 and with eval_distribute.
HookPtr in_memory_evaluator_hook(const Estimator& estimator, const InputFn& input_fn,
                                 const InMemoryEvaluatorHookOptions& options = {});

}  // namespace antler::estimator
