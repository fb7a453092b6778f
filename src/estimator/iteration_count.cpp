#include "antler/estimator/iteration_count.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "antler/base/error.h"

namespace antler::estimator::tpu {
namespace {

bool is_within(double percent, double actual, double target) {
  return std::abs(target - actual) / target <= percent / 100;
}

}  // namespace

IterationCountEstimator::IterationCountEstimator(int64_t capacity) : capacity_(capacity) {
  if (capacity <= 0) {
    throw ValueError("IterationCountEstimator `capacity` must be positive. Actual:{}.", capacity);
  }
}

void IterationCountEstimator::update(double runtime_secs, int64_t count) {
  if (runtime_secs <= 0 || count <= 0) return;
  if (std::ssize(samples_) >= capacity_) samples_.pop_front();
  samples_.push_back({runtime_secs, runtime_secs / static_cast<double>(count)});
  ++sample_count_;
}

bool IterationCountEstimator::is_stable(double mean_step_time) const {
  constexpr double kMaxDeviation = 0.03;
  if (sample_count_ <= capacity_) return false;
  const double variance = std::accumulate(samples_.begin(), samples_.end(), 0.0,
                                          [&](double sum, const Sample& sample) {
                                            const double difference =
                                                sample.step_time - mean_step_time;
                                            return sum + difference * difference;
                                          }) /
                          static_cast<double>(samples_.size());
  return std::sqrt(variance) < kMaxDeviation;
}

int64_t IterationCountEstimator::get(double total_secs) {
  if (total_secs <= 0) {
    throw ValueError("Invalid `total_secs`. It must be positive number. Actual:{}", total_secs);
  }
  if (samples_.empty()) return 1;
  double runtime = 0;
  double step_time = 0;
  for (const Sample& sample : samples_) {
    runtime += sample.runtime;
    step_time += sample.step_time;
  }
  const auto n = static_cast<double>(samples_.size());
  const bool is_close =
      is_within(10, samples_.back().runtime, total_secs) || is_within(5, runtime / n, total_secs);
  if (!is_close || !is_stable(step_time / n)) {
    // The stored value is not rounded.
    last_iterations_ = std::max(total_secs / (step_time / n), 1.0);
  }
  // NOLINTNEXTLINE(bugprone-incorrect-roundings): at least 1; TensorFlow rounds like this
  return static_cast<int64_t>(last_iterations_ + 0.5);
}

ExecutionSteps::ExecutionSteps(const TPUConfig& config, const ExecutionStepsOptions& options)
    : iterations_(config.iterations()),
      seconds_(config.iterations_seconds()),
      num_steps_(options.num_steps),
      final_step_(options.final_step) {
  if (!num_steps_ && !final_step_) {
    throw ValueError("One of `num_steps` or `final_step` must be specified.");
  }
  if (num_steps_ && final_step_) {
    throw ValueError("Only one of `num_steps` or `final_step` can be specified.");
  }
}

void ExecutionSteps::start(int64_t global_step) {
  if (!final_step_) final_step_ = global_step + *num_steps_;
}

int64_t ExecutionSteps::next(int64_t global_step) {
  if (!final_step_) start(global_step);
  const int64_t remaining = std::max<int64_t>(*final_step_ - global_step, 0);
  const int64_t wanted =
      iterations_ ? *iterations_ : estimator_.get(static_cast<double>(*seconds_));
  return std::min(remaining, wanted);
}

void ExecutionSteps::update(double runtime_secs, int64_t steps) {
  estimator_.update(runtime_secs, steps);
}

}  // namespace antler::estimator::tpu
