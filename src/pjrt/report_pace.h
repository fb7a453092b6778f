#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>

namespace antler::pjrt {

/// Decides how steps are run whose caller is to be told of each of them soon. One call of the
/// device per step is right for long steps. A call takes longer than a short step, so short ones
/// are run in groups as soon as the single calls have taken as long as it takes to compile another
/// program. Times are in seconds. Thread-safe.
class ReportPace {
 public:
  /// Steps of a group.
  static constexpr int64_t kGroup = 16;

  void add_compilation(double seconds) {
    const std::lock_guard lock(mutex_);
    compilations_ += seconds;
    longest_compilation_ = std::max(longest_compilation_, seconds);
  }
  /// Of all compilations together.
  double compilations() const {
    const std::lock_guard lock(mutex_);
    return compilations_;
  }
  /// `count` steps, each a call, took so long without compilation.
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
  /// A group of these takes so little time that nobody who looks at a progress bar sees it.
  static constexpr double kShortStep = 2e-3;
  mutable std::mutex mutex_;
  double compilations_ = 0;
  double longest_compilation_ = 0;
  double seconds_ = 0;
  int64_t steps_ = 0;
};

}  // namespace antler::pjrt
