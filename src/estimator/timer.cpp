#include "antler/estimator/timer.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "antler/base/error.h"

namespace antler::estimator {
namespace {

double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

}  // namespace

SecondOrStepTimer::SecondOrStepTimer(std::optional<double> every_secs,
                                     std::optional<int64_t> every_steps, Clock clock)
    : every_secs_(every_secs),
      every_steps_(every_steps),
      clock_(clock ? std::move(clock) : seconds_now) {
  if (every_secs && every_steps) {
    throw ValueError("Can not provide both every_secs and every_steps.");
  }
  if (!every_secs && !every_steps) {
    throw ValueError("Either every_secs or every_steps should be provided.");
  }
}

void SecondOrStepTimer::reset() {
  last_step_.reset();
  last_time_.reset();
}

bool SecondOrStepTimer::should_trigger_for_step(int64_t step) const {
  if (!every_secs_ && !every_steps_) return false;
  if (!last_step_) return true;
  if (*last_step_ == step) return false;
  if (every_secs_) return clock_() >= *last_time_ + *every_secs_;
  return step >= *last_step_ + *every_steps_;
}

std::optional<SecondOrStepTimer::Elapsed> SecondOrStepTimer::update_last_triggered_step(
    int64_t step) {
  const double now = clock_ ? clock_() : seconds_now();
  std::optional<Elapsed> elapsed;
  if (last_step_) elapsed = Elapsed{.secs = now - *last_time_, .steps = step - *last_step_};
  last_step_ = step;
  last_time_ = now;
  return elapsed;
}

int64_t SecondOrStepTimer::steps_until_trigger(int64_t step) const {
  if (!every_secs_ && !every_steps_) return std::numeric_limits<int64_t>::max();
  if (should_trigger_for_step(step)) return 0;
  if (!every_steps_) return 1;
  return std::max<int64_t>(*last_step_ + *every_steps_ - step, 1);
}

}  // namespace antler::estimator
