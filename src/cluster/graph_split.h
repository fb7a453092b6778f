#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include <training.pb.h>

#include "antler/core/variable.h"
#include "antler/ir/graph.h"

namespace antler::cluster {

/// The part of a step that runs in one task that holds variables.
struct TaskShare {
  int64_t task = 0;
  /// Variables whose values the worker needs.
  Variables reads;
  /// Computes the rows of tables that the worker needs. Its states are variables of the task. It
  /// has no outputs if no rows are needed. The worker gets the first `lookups` outputs; the others
  /// are ids that the filters use.
  ir::Graph lookup;
  int64_t lookups = 0;
  /// The rows of the outputs that the worker needs.
  std::vector<RowFilter> lookup_rows;
  /// The arguments of the step that are the inputs of `lookup`, in order.
  std::vector<int64_t> asks;
  /// Updates the variables. Its states are variables of the task; its inputs are sent by the
  /// worker.
  ir::Graph update;
  /// The outputs of the worker's graph that are the inputs of `update`, in order.
  std::vector<int64_t> sends;
  /// Which rows of the sent values the task needs, by the place in `sends`. Their ids are outputs
  /// of the worker's graph.
  std::vector<RowFilter> sent_rows;
};

/// See split_graph().
inline constexpr int64_t kOfWorker = -1;

/// A step for a worker, and the shares of the tasks that hold its variables.
struct SplitGraph {
  /// Inputs: the arguments, then, for each share, its reads and the outputs of its lookup. Outputs:
  /// the outputs of the function, then the values to send.
  ir::Graph worker;
  int64_t arguments = 0;
  int64_t results = 0;
  std::vector<TaskShare> shares;
};

/// Splits a step between a worker and the tasks that hold its variables.
///
/// An update such as `w - rate * gradient` or `total + n` runs where the variable is, on its
/// current value. So no update of another worker is lost, and values that the worker does not need,
/// such as an optimizer's moments, are never sent. A cheap op that feeds an update moves to the
/// task as well if its operands are smaller than its result: the gradient of an embedding is sent
/// as rows. Rows that a step looks up by its arguments are gathered in the task, too. If rows
/// belong to several tasks, each receives and sends only its own. The worker computes everything
/// else from the values that it read.
///
/// `task_of` returns the task that holds a variable, or kOfWorker if the variable stays a state of
/// the worker's graph.
SplitGraph split_graph(const ir::Graph& graph,
                       const std::function<int64_t(const Variable& variable)>& task_of);

}  // namespace antler::cluster
