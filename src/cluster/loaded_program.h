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

/// Compiles the graph of a worker. `request` describes its arguments, results and shares; its own
/// graph is not used. `stub_of` returns the connection to a task, and throws for an unknown one.
/// Throws ValueError if graph and shares do not fit together.
std::shared_ptr<LoadedProgram> load_program(
    ir::Graph graph, const AddProgramRequest& request,
    const std::function<Training::Stub*(int32_t task)>& stub_of);

}  // namespace antler::cluster
