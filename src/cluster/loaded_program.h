#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <training.grpc.pb.h>

#include "antler/ir/graph.h"
#include "antler/runtime/program.h"
#include "cluster/row_packing.h"

namespace antler::cluster {

/// A program of a worker, and the work of the tasks that hold variables in its steps.
struct LoadedProgram {
  struct Share {
    int32_t task = 0;
    uint64_t incarnation = 0;
    /// The values that it provides for a step, after the arguments.
    std::vector<TensorSpec> reads;
    RowFilters read_rows;
    /// The arguments that it needs to compute them.
    std::vector<size_t> asks;
    /// The outputs that it receives.
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

/// Compiles the graph of a worker. `request` describes its arguments, results and shares; the graph
/// in the request is not used. `stub_of` returns the connection to a task, and throws for an
/// unknown one. Throws ValueError if graph and shares do not match.
std::shared_ptr<LoadedProgram> load_program(
    ir::Graph graph, const AddProgramRequest& request,
    const std::function<Training::Stub*(int32_t task)>& stub_of);

}  // namespace antler::cluster
