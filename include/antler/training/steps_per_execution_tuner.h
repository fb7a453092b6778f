#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "antler/core/keyword.h"
#include "antler/training/steps_per_execution.h"

namespace antler {

class Optimizer;

/// Options of StepsPerExecutionTuner.
struct StepsPerExecutionTunerOptions {
  double interval = 5;               ///< seconds between measurements; positive
  int64_t change_spe_interval = 10;  ///< measurements per decision; positive
  double change_threshold = 0.1;     ///< smallest relative change of throughput that counts
  /// Monotonic time in seconds; default: the steady clock. Tests replace it.
  std::function<double()> clock = {};
};

/// Tunes the number of steps per execution for throughput while a loop trains (Keras's
/// StepsPerExecutionTuner). A thread measures iterations per second and, every
/// `change_spe_interval` measurements, multiplies the variable by 1.5 or halves it. It continues in
/// the same direction while throughput grows, and reverses when throughput falls; otherwise the
/// variable stays the same. It never goes below 1.
///
/// `Model::compile({.steps_per_execution = "auto"})` uses one. In a custom loop:
///
///     StepsPerExecution steps_per_execution;
///     StepsPerExecutionTuner tuner(optimizer, steps_per_execution);
///     tuner.start();
///     while (runner.run(steps_per_execution, logs) > 0) {
///     }
///     tuner.stop();
class StepsPerExecutionTuner {
 public:
  using Options = StepsPerExecutionTunerOptions;

  /// Counts the optimizer's iterations at start() plus the steps that the loop adds to `variable`,
  /// because only the training thread may read the optimizer's counter. Throws ValueError for
  /// options out of range.
  StepsPerExecutionTuner(const Optimizer& optimizer, StepsPerExecution variable,
                         Options options = {});
  /// With a custom iteration counter, called on the tuner's thread.
  StepsPerExecutionTuner(std::function<int64_t()> iterations, StepsPerExecution variable,
                         Options options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(StepsPerExecutionTuner, StepsPerExecutionTunerOptions,
                             const Optimizer&, StepsPerExecution)
  StepsPerExecutionTuner(const StepsPerExecutionTuner&) = delete;
  StepsPerExecutionTuner& operator=(const StepsPerExecutionTuner&) = delete;
  /// Stops the thread and waits for it.
  ~StepsPerExecutionTuner();

  /// Starts the thread, which measures immediately and then every `interval` seconds. Calls nest:
  /// each start() needs a stop(), and the last stop() ends the thread.
  void start();
  /// Stops the thread and waits for it. Does nothing without a start().
  void stop();

  int64_t steps_per_execution() const { return variable_.value(); }
  /// Sets the variable and the initial value.
  void set_steps_per_execution(int64_t value);

  double interval() const { return options_.interval; }
  int64_t change_spe_interval() const { return options_.change_spe_interval; }
  double spe_change_threshold() const { return options_.change_threshold; }
  /// True between the last stop() and the next start() (Keras's steps_per_execution_stop_event).
  bool stopped() const;
  bool running() const;
  /// Of the current or last run.
  double start_time() const;
  int64_t init_spe() const;
  int64_t spe_measurement_count() const;

  /// Discards all measurements, as start() does. For tests and for loops that call
  /// measure_and_tune() themselves.
  void restart_measurements();
  /// Takes one measurement and, every `change_spe_interval`-th time, one decision.
  void measure_and_tune();

 private:
  struct State;
  void run();

  Options options_;
  StepsPerExecution variable_;
  std::function<int64_t()> iterations_;
  std::unique_ptr<State> state_;
};

/// Runs a tuner for the duration of a scope.
class TunerScope {
 public:
  /// Null: does nothing.
  explicit TunerScope(StepsPerExecutionTuner* tuner) : tuner_(tuner) {
    if (tuner_ != nullptr) tuner_->start();
  }
  TunerScope(const TunerScope&) = delete;
  TunerScope& operator=(const TunerScope&) = delete;
  ~TunerScope() { stop(); }
  /// Stops the tuner early.
  void stop() {
    if (tuner_ != nullptr) tuner_->stop();
    tuner_ = nullptr;
  }

 private:
  StepsPerExecutionTuner* tuner_;
};

}  // namespace antler
