#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <utility>

#include "antler/training/callback.h"

namespace antler::callbacks {

struct LearningRateSchedulerOptions {
  int verbose = 0;
};

/// Sets the learning rate at the start of each epoch and adds `learning_rate` to the logs (Keras's
/// LearningRateScheduler). The schedule is a function of the epoch (from zero) and, if it takes
/// one, the present rate. Throws TypeError in fit when the optimizer has a schedule of its own.
class LearningRateScheduler : public Callback {
 public:
  using Schedule = std::function<double(int64_t epoch, double learning_rate)>;
  template <class F>
  requires std::invocable<F&, int64_t, double> || std::invocable<F&, int64_t>
  explicit LearningRateScheduler(F schedule, LearningRateSchedulerOptions options = {})
      : schedule_(wrap(std::move(schedule))), options_(options) {}

  static constexpr const char* kName = "LearningRateScheduler";
  static LearningRateScheduler from_config(const Json& config);

  void on_epoch_begin(int64_t epoch, const Logs& logs) override;
  void on_epoch_end(int64_t epoch, const Logs& logs) override;

 private:
  template <class F>
  static Schedule wrap(F schedule) {
    if constexpr (std::invocable<F&, int64_t, double>) {
      return schedule;
    } else {
      return [schedule = std::move(schedule)](int64_t epoch, double) mutable -> double {
        return schedule(epoch);
      };
    }
  }

  Schedule schedule_;
  LearningRateSchedulerOptions options_;
};

}  // namespace antler::callbacks
