#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace antler {

/// How many steps one execution of a loop has, and how many the loop has done: the variable that a
/// StepsPerExecutionTuner watches and sets while the loop runs. A handle; any thread may read and
/// write it.
///
/// A loop reads value() once per execution, so that the number of steps it runs and the index it
/// reports agree whatever the tuner does meanwhile, and tells the steps done by add_steps(). fit
/// does both, and so does StepRunner::run(const StepsPerExecution&, ...).
class StepsPerExecution {
 public:
  explicit StepsPerExecution(int64_t value = 1) : state_(std::make_shared<State>()) {
    assign(value);
  }

  int64_t value() const { return state_->value.load(std::memory_order_relaxed); }
  void assign(int64_t value) const { state_->value.store(value, std::memory_order_relaxed); }

  /// Steps done since the variable was made.
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
