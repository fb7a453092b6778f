#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "antler/training/steps_per_execution.h"

namespace antler {

class Optimizer;

struct StepsPerExecutionTunerOptions {
  double interval = 5;               ///< seconds between two measurements; above 0
  int64_t change_spe_interval = 10;  ///< measurements per decision; above 0
  /// Relative change of the throughput that counts; 0.1 is 10 %.
  double change_threshold = 0.1;
  /// Seconds since any fixed moment; replaced by tests.
  std::function<double()> clock = {};
};

/// Finds the number of steps per execution with the highest throughput while a loop trains (Keras's
/// StepsPerExecutionTuner): a thread measures iterations per second and, every
/// `change_spe_interval` measurements, makes the variable 1.5 times or half as large. As long as
/// the throughput grows it goes on in that direction; when it falls it turns round; else it stays.
/// The variable never goes below 1.
///
/// `Model::compile({.steps_per_execution = "auto"})` has one. In a loop of one's own:
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

  /// Iterations are those of `optimizer` at start() plus the steps that the loop adds to
  /// `variable`: the optimizer's own counter belongs to the training thread. Throws ValueError for
  /// options out of range.
  StepsPerExecutionTuner(const Optimizer& optimizer, StepsPerExecution variable,
                         Options options = {});
  /// The same with any count of iterations, called on the tuner's thread.
  StepsPerExecutionTuner(std::function<int64_t()> iterations, StepsPerExecution variable,
                         Options options = {});
  StepsPerExecutionTuner(const StepsPerExecutionTuner&) = delete;
  StepsPerExecutionTuner& operator=(const StepsPerExecutionTuner&) = delete;
  /// Stops and waits for the thread.
  ~StepsPerExecutionTuner();

  /// Starts the thread, which measures at once and then every `interval` seconds. Does nothing but
  /// count while it runs: each start() needs a stop(), and the last one ends it.
  void start();
  /// Ends the thread and waits for it (it wakes at once). Without a start() it does nothing.
  void stop();

  /// The variable's value.
  int64_t steps_per_execution() const { return variable_.value(); }
  /// Sets the variable, and the value to return to.
  void set_steps_per_execution(int64_t value);

  double interval() const { return options_.interval; }
  int64_t change_spe_interval() const { return options_.change_spe_interval; }
  double spe_change_threshold() const { return options_.change_threshold; }
  /// True between the last stop() and the next start() (Keras's steps_per_execution_stop_event).
  bool stopped() const;
  bool running() const;
  /// Of the present or last run.
  double start_time() const;
  int64_t init_spe() const;
  int64_t spe_measurement_count() const;

  /// What start() does without the thread: forgets all measurements. For tests and for loops that
  /// call measure_and_tune() on a schedule of their own.
  void restart_measurements();
  /// One measurement and, where it is time, one decision: what the thread does.
  void measure_and_tune();

 private:
  struct State;
  void run();

  Options options_;
  StepsPerExecution variable_;
  std::function<int64_t()> iterations_;
  std::unique_ptr<State> state_;
};

/// Keeps a tuner running for a scope: fit's guard, so that an exception stops the thread too.
class TunerScope {
 public:
  /// Null: does nothing.
  explicit TunerScope(StepsPerExecutionTuner* tuner) : tuner_(tuner) {
    if (tuner_ != nullptr) tuner_->start();
  }
  TunerScope(const TunerScope&) = delete;
  TunerScope& operator=(const TunerScope&) = delete;
  ~TunerScope() { stop(); }
  /// Stops before the end of the scope.
  void stop() {
    if (tuner_ != nullptr) tuner_->stop();
    tuner_ = nullptr;
  }

 private:
  StepsPerExecutionTuner* tuner_;
};

}  // namespace antler
