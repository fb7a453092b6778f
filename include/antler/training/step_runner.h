#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>

#include "antler/data/data_source.h"
#include "antler/runtime/function.h"
#include "antler/training/logs.h"
#include "antler/training/steps_per_execution.h"

namespace antler::distribute {
class RemoteSteps;
}

namespace antler {

/// Runs a step function over the batches of a source, as fit() does, for custom loops. The function
/// takes [x, y, sample_weight], undefined if the source has none. The specialization for each batch
/// shape is cached; a partial last batch has its own.
class StepRunner {
 public:
  StepRunner(Function function, DataSource& source)
      : function_(std::move(function)), source_(source) {}
  /// With `remote`, steps run in other processes and have no outputs here.
  StepRunner(Function function, DataSource& source, distribute::RemoteSteps* remote)
      : function_(std::move(function)), source_(source), remote_(remote) {}

  /// Compiles the function for the next batch, without running it.
  void prepare();
  /// Runs up to `n` steps, fewer if the data ends, and returns how many. `outputs` are those of the
  /// last step; `each_step` gets the outputs of every step, or of every `period`-th (see
  /// Program::run()), which the next step overwrites.
  int64_t run(int64_t n, Nest& outputs, const Function::StepOutputs& each_step = {},
              int64_t period = 0);
  /// Runs max(1, n.value()) steps, and adds the number of steps done to `n`.
  int64_t run(const StepsPerExecution& n, Nest& outputs);
  /// Waits for steps that run in other processes. Throws their first error.
  void join();
  bool is_remote() const { return remote_ != nullptr; }

 private:
  int64_t schedule(int64_t n);
  const Function::Specialization& current();

  Function function_;
  DataSource& source_;
  distribute::RemoteSteps* remote_ = nullptr;
  std::unordered_map<int64_t, Function::Specialization> specializations_;
  int64_t signature_ = -1;
  const Function::Specialization* last_ = nullptr;
};

}  // namespace antler
