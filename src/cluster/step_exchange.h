#pragma once

#include <cstdint>
#include <string>

#include "antler/core/tensor.h"
#include "cluster/loaded_program.h"
#include "cluster/members.h"

namespace antler::cluster {

/// A task that holds variables could not be reached, or has been restarted.
struct TaskLost {
  int32_t task;
  std::string message;
};

/// Sends the updates of a step to the tasks that hold variables, and gets what the next step reads.
class StepExchange {
 public:
  StepExchange(const Members& members, const LoadedProgram& loaded, uint64_t session,
               uint64_t program)
      : members_(members), loaded_(loaded), session_(session), program_(program) {}

  /// `outputs`: the outputs of the previous step; null before the first. Returns what the shares
  /// provide, in order, for a step with the arguments `next`; pass null after the last step. Throws
  /// TaskLost, and RuntimeError if a task refuses the call.
  Tensors operator()(const Tensors* outputs, const Tensors* next) const;

 private:
  struct Call;
  const Members& members_;
  const LoadedProgram& loaded_;
  uint64_t session_;
  uint64_t program_;
};

}  // namespace antler::cluster
