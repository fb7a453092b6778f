#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

namespace antler::estimator {

/// When a hook acts: every so many seconds or steps (TensorFlow's SecondOrStepTimer). One that
/// never triggered triggers at once; at one step it triggers once.
class SecondOrStepTimer {
 public:
  /// Gives the time in seconds, from any start.
  using Clock = std::function<double()>;
  /// Throws ValueError unless one of them is given. Without a clock it reads the machine's.
  SecondOrStepTimer(std::optional<double> every_secs, std::optional<int64_t> every_steps,
                    Clock clock = {});
  /// One that never triggers.
  SecondOrStepTimer() = default;

  const std::optional<double>& every_secs() const { return every_secs_; }
  const std::optional<int64_t>& every_steps() const { return every_steps_; }
  void reset();
  bool should_trigger_for_step(int64_t step) const;
  /// What passed since the timer last triggered.
  struct Elapsed {
    double secs = 0;
    int64_t steps = 0;
  };
  /// Remembers the time and the step. Returns what went by since the last trigger; none for the
  /// first.
  std::optional<Elapsed> update_last_triggered_step(int64_t step);
  std::optional<int64_t> last_triggered_step() const { return last_step_; }
  /// Steps from `step` to the next at which it triggers: 0 if it does at `step`. A timer by the
  /// clock says whether it does now: 0 or 1. The largest number if it never triggers.
  int64_t steps_until_trigger(int64_t step) const;

 private:
  std::optional<double> every_secs_;
  std::optional<int64_t> every_steps_;
  Clock clock_;
  std::optional<int64_t> last_step_;
  std::optional<double> last_time_;
};

}  // namespace antler::estimator
