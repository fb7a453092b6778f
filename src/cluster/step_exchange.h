#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <training.grpc.pb.h>

#include "antler/runtime/program.h"
#include "cluster/members.h"
#include "cluster/row_packing.h"

namespace antler::cluster {

/// A program of a worker, and what the tasks that hold variables do in its steps.
struct LoadedProgram {
  struct Share {
    int32_t task = 0;
    uint64_t incarnation = 0;
    /// What it provides for a step, after the arguments.
    std::vector<TensorSpec> reads;
    RowFilters read_rows;
    /// The arguments that it needs for that.
    std::vector<size_t> asks;
    /// The outputs that it gets.
    std::vector<size_t> sends;
    RowFilters sent_rows;
    bool updates = false;
    Training::Stub* stub = nullptr;
  };
  std::unique_ptr<Program> program;
  std::vector<TensorSpec> arguments;
  size_t results = 0;
  std::vector<Share> shares;
};

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

  /// `outputs` are those of the step before; null in front of the first. Returns what the shares
  /// provide, in order, for a step with the arguments `next`; null behind the last. Throws
  /// TaskLost, and RuntimeError for what a task refuses.
  Tensors operator()(const Tensors* outputs, const Tensors* next) const;

 private:
  struct Call;
  const Members& members_;
  const LoadedProgram& loaded_;
  uint64_t session_;
  uint64_t program_;
};

}  // namespace antler::cluster
