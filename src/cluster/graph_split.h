#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "antler/core/variable.h"
#include "antler/ir/graph.h"

namespace antler::cluster {

/// What a step does in one task that keeps variables.
struct TaskShare {
  int64_t task = 0;
  /// The variables whose values the worker needs.
  Variables reads;
  /// Computes what else the worker needs: rows of tables. Its states are variables of the task.
  /// Without outputs if there is nothing.
  ir::Graph lookup;
  /// The arguments of the step that it needs, in the order of its inputs.
  std::vector<int64_t> asks;
  /// How the variables change. Its states are variables of the task, its inputs what the worker
  /// sends.
  ir::Graph update;
  /// The outputs of the worker's graph that it sends, in the order of the inputs of `update`.
  std::vector<int64_t> sends;
};

/// A step without states for a worker, and what other tasks do with their variables.
struct SplitGraph {
  /// Inputs: the arguments, then what the shares provide in order: reads, outputs of the lookup.
  /// Outputs: those of the function, then what is sent.
  ir::Graph worker;
  int64_t arguments = 0;
  int64_t results = 0;
  std::vector<TaskShare> shares;
};

/// Splits a step between a worker and the tasks that keep its variables.
///
/// An update such as `w - rate * gradient` or `total + n` is computed where the variable is, from
/// its value at that time: no update by another worker is lost, and what the worker need not know,
/// such as an optimizer's moments, never travels. A cheap op in front of it moves there as well if
/// less travels then: the gradient of an embedding is sent as rows. So are the rows that a step
/// looks up by its arguments. All else is computed by the worker from the values that it read.
///
/// `task_of` tells where a variable is kept.
SplitGraph split_graph(const ir::Graph& graph,
                       const std::function<int64_t(const Variable& variable)>& task_of);

}  // namespace antler::cluster
