#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>

namespace antler::pjrt {

/// Decides how to run steps that are reported to the caller one by one. For long steps, one call of
/// the device per step is best. A call takes longer than a short step, so short steps are run in
/// groups once the single calls have taken as long as compiling another program would take. Times
/// are in seconds. Thread-safe.
class ReportPace {
 public:
  /// Number of steps in a group.
  static constexpr int64_t kGroup = 16;

  void add_compilation(double seconds) {
    const std::lock_guard lock(mutex_);
    compilations_ += seconds;
    longest_compilation_ = std::max(longest_compilation_, seconds);
  }
  /// The time of all compilations together.
  double compilations() const {
    const std::lock_guard lock(mutex_);
    return compilations_;
  }
  /// Records that `count` steps, with one call each, took `seconds` without compilation.
  void add_single_steps(int64_t count, double seconds) {
    const std::lock_guard lock(mutex_);
    steps_ += count;
    seconds_ += seconds;
  }
  bool is_in_groups() const {
    const std::lock_guard lock(mutex_);
    return steps_ > 0 && seconds_ >= longest_compilation_ &&
           seconds_ < kShortStep * static_cast<double>(steps_);
  }

 private:
  /// A group of steps this short takes so little time that a progress bar still looks smooth.
  static constexpr double kShortStep = 2e-3;
  mutable std::mutex mutex_;
  double compilations_ = 0;
  double longest_compilation_ = 0;
  double seconds_ = 0;
  int64_t steps_ = 0;
};

}  // namespace antler::pjrt
