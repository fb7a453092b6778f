#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "antler/core/nest.h"
#include "antler/runtime/function.h"

namespace antler::training {

/// Calls the batch hooks around executions, even if a device runs several executions as one.
class ExecutionHooks {
 public:
  using Begin = std::function<void(int64_t step)>;
  using End = std::function<void(int64_t last_step, const Nest& outputs)>;
  /// `period`: the steps of an execution if several executions run as one, otherwise 0.
  ExecutionHooks(int64_t period, Begin begin, End end)
      : period_(period), begin_(std::move(begin)), end_(std::move(end)) {}
  ExecutionHooks(const ExecutionHooks&) = delete;
  ExecutionHooks& operator=(const ExecutionHooks&) = delete;

  int64_t period() const { return period_; }
  /// Before the steps from `step` on are run.
  void begin(int64_t step) {
    next_ = step;
    begin_(step);
    has_begun_ = true;
  }
  /// The function that a run calls after each of its executions; empty if it has only one.
  Function::StepOutputs each_execution() {
    if (period_ == 0) return {};
    return [this](const Nest& outputs) { end_at(next_ + period_ - 1, outputs); };
  }
  /// After the run, whose last step was `last_step`.
  void end(int64_t last_step, const Nest& outputs) {
    if (next_ <= last_step) end_at(last_step, outputs);
  }

 private:
  void end_at(int64_t last_step, const Nest& outputs) {
    if (!has_begun_) begin_(next_);
    end_(last_step, outputs);
    next_ = last_step + 1;
    has_begun_ = false;
  }

  int64_t period_;
  Begin begin_;
  End end_;
  int64_t next_ = 0;  ///< the first step whose end is not reported yet
  bool has_begun_ = false;
};

}  // namespace antler::training
