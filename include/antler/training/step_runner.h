#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>

#include "antler/data/data_source.h"
#include "antler/runtime/function.h"
#include "antler/training/steps_per_execution.h"

namespace antler {

/// Runs a step function over the batches of a source: what fit() does, for loops of one's own. The
/// function takes [x, y, sample_weight] (undefined where the source has none). Keeps the
/// specialisation for each batch shape (a partial last batch has its own), so that nothing is
/// looked up by name between executions.
class StepRunner {
 public:
  StepRunner(Function function, DataSource& source)
      : function_(std::move(function)), source_(source) {}

  /// Compiles the function for the next batch, without running it.
  void prepare();
  /// Up to `n` steps, fewer when the data ends. `outputs` are those of the last step; `each_step`
  /// gets those of every one, whose arrays are overwritten by the next.
  int64_t run(int64_t n, Nest& outputs, const Function::StepOutputs& each_step = {});
  /// As many steps as the variable says now (at least 1); tells it those that were done.
  int64_t run(const StepsPerExecution& n, Nest& outputs);

 private:
  const Function::Specialization& current();

  Function function_;
  DataSource& source_;
  std::unordered_map<int64_t, Function::Specialization> specializations_;
  int64_t signature_ = -1;
  const Function::Specialization* last_ = nullptr;
};

}  // namespace antler
