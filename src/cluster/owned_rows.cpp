#include "cluster/owned_rows.h"

#include <algorithm>
#include <string_view>

namespace antler::cluster {
namespace {

using ir::Node;
using ir::ValueId;

bool has_input(const Node& node, ValueId v) {
  return std::find(node.inputs.begin(), node.inputs.end(), v) != node.inputs.end();
}

bool is_state(const ir::Graph& graph, ValueId v) {
  return std::any_of(graph.states.begin(), graph.states.end(),
                     [&](const ir::StateSlot& slot) { return slot.output == v; });
}

/// The rows of a table that the node adds, if it adds rows with int32 or int64 ids.
std::optional<OwnedRows> added_rows(const ir::Graph& graph, const Node& node) {
  if (std::string_view(node.op->name) != "scatter" || node.attrs.integer("axis") != 0) return {};
  const DType dtype = graph.spec(node.inputs[1]).dtype;
  if (dtype != DType::int32 && dtype != DType::int64) return {};
  return OwnedRows{node.inputs[1], graph.spec(node.inputs[0]).shape[0]};
}

/// Adds the rows that users of the value in the task need. Returns false if they need more than
/// rows.
bool add_needed(const ir::Graph& graph, const std::function<bool(ValueId)>& computes, ValueId value,
                std::vector<OwnedRows>& needed) {
  if (is_state(graph, value)) return false;
  for (const Node& node : graph.nodes) {
    if (!has_input(node, value) || !computes(node.outputs[0])) continue;
    const std::optional<OwnedRows> rows = added_rows(graph, node);
    if (rows && node.inputs[0] != value && node.inputs[1] != value) {
      needed.push_back(*rows);
      continue;
    }
    // Each element of the result belongs to the row of its operand.
    if (node.op->op_class != ir::OpClass::elementwise || node.outputs.size() != 1 ||
        graph.spec(node.outputs[0]).shape != graph.spec(value).shape ||
        !add_needed(graph, computes, node.outputs[0], needed))
      return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<OwnedRows>> scattered_rows(const ir::Graph& graph,
                                                     const std::function<bool(ValueId)>& computes,
                                                     ValueId rows) {
  std::vector<OwnedRows> needed;
  if (!add_needed(graph, computes, rows, needed) || needed.empty()) return {};
  const int64_t count = graph.spec(needed[0].ids).shape.num_elements();
  const bool fit = std::all_of(needed.begin(), needed.end(), [&](const OwnedRows& part) {
    return graph.spec(part.ids).shape.num_elements() == count;
  });
  if (!fit || count == 0) return {};
  return needed;
}

std::optional<OwnedRows> scattered_ids(const ir::Graph& graph,
                                       const std::function<bool(ValueId)>& computes, ValueId ids) {
  if (is_state(graph, ids)) return {};
  std::optional<OwnedRows> result;
  for (const Node& node : graph.nodes) {
    if (!has_input(node, ids) || !computes(node.outputs[0])) continue;
    const std::optional<OwnedRows> rows = added_rows(graph, node);
    if (!rows || rows->ids != ids || node.inputs[2] == ids || (result && result->end != rows->end))
      return {};
    result = rows;
  }
  return result;
}

}  // namespace antler::cluster
