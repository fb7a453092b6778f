#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "antler/estimator/run_config.h"

namespace antler::estimator::tpu {

/// Estimates how many steps fit into a given time from the times of earlier executions
/// (TensorFlow's IterationCountEstimator).
class IterationCountEstimator {
 public:
  /// Remembers the last `capacity` executions. Throws ValueError unless that is positive.
  explicit IterationCountEstimator(int64_t capacity = 20);
  /// Records that `count` steps took `runtime_secs`. Ignored unless both are positive.
  void update(double runtime_secs, int64_t count);
  /// The number of steps for an execution of `total_secs`; 1 before the first update. It no longer
  /// changes once the step time is stable (more executions than the capacity, deviation below
  /// 0.03 s) and the last execution was within 10 %, or the mean within 5 %, of `total_secs`.
  /// Throws ValueError unless the time is positive.
  int64_t get(double total_secs);

 private:
  struct Sample {
    double runtime = 0;
    double step_time = 0;
  };
  bool is_stable(double mean_step_time) const;

  int64_t capacity_;
  std::deque<Sample> samples_;
  int64_t sample_count_ = 0;
  double last_iterations_ = 1;
};

/// Options of ExecutionSteps.
struct ExecutionStepsOptions {
  std::optional<int64_t> num_steps = {};   ///< from the step at which the session is created
  std::optional<int64_t> final_step = {};  ///< in all
};

/// Determines how many steps each execution makes, and when training ends: iterations_per_loop
/// steps, and the rest in the last execution (TensorFlow's TPUStopAtStepHook).
class ExecutionSteps {
 public:
  /// Throws ValueError unless one of the options is given.
  ExecutionSteps(const TPUConfig& config, const ExecutionStepsOptions& options);
  /// Call when a session is created at this global step.
  void start(int64_t global_step);
  /// Steps of the next execution; 0 if training has ended.
  int64_t next(int64_t global_step);
  /// Records that an execution of `steps` took `runtime_secs`.
  void update(double runtime_secs, int64_t steps);
  /// The step at which training ends. Not given before start() with `num_steps`.
  std::optional<int64_t> final_step() const { return final_step_; }

 private:
  std::optional<int64_t> iterations_;
  std::optional<int64_t> seconds_;
  std::optional<int64_t> num_steps_;
  std::optional<int64_t> final_step_;
  IterationCountEstimator estimator_;
};

}  // namespace antler::estimator::tpu
