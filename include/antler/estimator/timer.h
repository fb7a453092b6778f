#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace antler::estimator {

/// Determines when a hook acts: every given number of seconds or steps (TensorFlow's
/// SecondOrStepTimer). It triggers at once the first time, and at most once per step.
class SecondOrStepTimer {
 public:
  /// Returns the time in seconds since an arbitrary start.
  using Clock = std::function<double()>;
  /// Throws ValueError unless exactly one of the first two is given. Default clock: the machine's.
  SecondOrStepTimer(std::optional<double> every_secs, std::optional<int64_t> every_steps,
                    Clock clock = {});
  /// A timer that never triggers.
  SecondOrStepTimer() = default;

  const std::optional<double>& every_secs() const { return every_secs_; }
  const std::optional<int64_t>& every_steps() const { return every_steps_; }
  void reset();
  bool should_trigger_for_step(int64_t step) const;
  /// The time and steps since the timer last triggered.
  struct Elapsed {
    double secs = 0;
    int64_t steps = 0;
  };
  /// Records a trigger at `step`. Returns the time and steps since the last trigger; nullopt for
  /// the first one.
  std::optional<Elapsed> update_last_triggered_step(int64_t step);
  std::optional<int64_t> last_triggered_step() const { return last_step_; }
  /// Number of steps from `step` to the next trigger, 0 if it triggers at `step`. A timer by
  /// seconds returns 0 if it triggers now, else 1. The largest number if it never triggers.
  int64_t steps_until_trigger(int64_t step) const;

 private:
  std::optional<double> every_secs_;
  std::optional<int64_t> every_steps_;
  Clock clock_;
  std::optional<int64_t> last_step_;
  std::optional<double> last_time_;
};

}  // namespace antler::estimator
