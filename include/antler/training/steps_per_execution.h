#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace antler {

/// The number of steps per execution of a loop, and a count of the steps done. A
/// StepsPerExecutionTuner reads and sets it while the loop runs. A handle; thread-safe.
///
/// A loop must read value() once per execution, since the tuner may change it at any time, and
/// report the steps done with add_steps(). fit does both, and so does
/// StepRunner::run(const StepsPerExecution&, ...).
class StepsPerExecution {
 public:
  explicit StepsPerExecution(int64_t value = 1) : state_(std::make_shared<State>()) {
    assign(value);
  }

  int64_t value() const { return state_->value.load(std::memory_order_relaxed); }
  void assign(int64_t value) const { state_->value.store(value, std::memory_order_relaxed); }

  /// Steps done since construction.
  int64_t steps_done() const { return state_->steps.load(std::memory_order_relaxed); }
  void add_steps(int64_t n) const { state_->steps.fetch_add(n, std::memory_order_relaxed); }

 private:
  struct State {
    std::atomic<int64_t> value{1};
    std::atomic<int64_t> steps{0};
  };
  std::shared_ptr<State> state_;
};

}  // namespace antler
