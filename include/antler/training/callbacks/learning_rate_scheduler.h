#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/training/callback.h"

namespace antler::callbacks {

/// Options of LearningRateScheduler.
struct LearningRateSchedulerOptions {
  int verbose = 0;
};

/// Sets the learning rate at the start of each epoch and adds `learning_rate` to the logs (Keras's
/// LearningRateScheduler). The schedule is a function of the epoch (from zero) or of the epoch and
/// the current rate. Throws TypeError in fit if the optimizer has a schedule already.
class LearningRateScheduler : public Callback {
 public:
  using Schedule = std::function<double(int epoch, double learning_rate)>;
  template <class F>
  requires std::invocable<F&, int, double> || std::invocable<F&, int>
  explicit LearningRateScheduler(F schedule, LearningRateSchedulerOptions options = {})
      : schedule_(wrap(std::move(schedule))), options_(options) {}

  static constexpr const char* kName = "LearningRateScheduler";
  static LearningRateScheduler from_config(const Json& config);

  void on_epoch_begin(int epoch, const Logs& logs) override;
  void on_epoch_end(int epoch, const Logs& logs) override;

 private:
  template <class F>
  static Schedule wrap(F schedule) {
    if constexpr (std::invocable<F&, int, double>) {
      return schedule;
    } else {
      return [schedule = std::move(schedule)](int epoch, double) mutable -> double {
        return schedule(epoch);
      };
    }
  }

  Schedule schedule_;
  LearningRateSchedulerOptions options_;
};

}  // namespace antler::callbacks
