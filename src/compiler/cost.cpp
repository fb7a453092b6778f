#include "compiler/cost.h"

#include <algorithm>

#include "compiler/loop_nest.h"
#include "compiler/op_kind.h"

namespace antler::compiler {
namespace {

constexpr int kMaxCost = 1 << 20;
/// Rounding to a half type and back.
constexpr int kRounding = 3;

/// An empty array has no elements for loop variables to index.
bool any_empty(const ir::Graph& graph, const std::vector<ir::ValueId>& values) {
  return std::any_of(values.begin(), values.end(),
                     [&](ir::ValueId v) { return graph.spec(v).shape.num_elements() == 0; });
}

}  // namespace

bool is_fusable(const ir::Graph& graph, const ir::Node& node) {
  const OpKind kind = kind_of(node);
  const bool known = is_source(kind) || is_view(kind) || is_reduction(kind) ||
                     node.op->op_class == ir::OpClass::elementwise;
  return known && !any_empty(graph, node.inputs) && !any_empty(graph, node.outputs);
}

RecomputeCost recompute_cost(const ir::Graph& graph, const std::vector<char>& stored) {
  RecomputeCost cost;
  const size_t n = graph.values.size();
  cost.work.assign(n, 0);
  cost.loads.assign(n, 0);
  cost.depends.assign(n, 1);
  for (size_t v = 0; v < n; ++v)
    cost.loads[v] = graph.values[v].spec.shape.num_elements() > 1 ? 1 : 0;
  for (const ir::Node& node : graph.nodes) {
    const OpKind kind = kind_of(node);
    if (!is_fusable(graph, node) || is_reduction(kind)) continue;
    const auto out = static_cast<size_t>(node.outputs[0]);
    bool depends = false;
    for (ir::ValueId in : node.inputs)
      depends = depends || cost.depends[static_cast<size_t>(in)] != 0;
    cost.depends[out] = depends ? 1 : 0;
    if (kind == OpKind::constant || stored[out] != 0) continue;
    int work = is_view(kind) || kind == OpKind::iota ? 0 : node.op->work;
    if (work > 0 && is_half(graph.spec(node.outputs[0]).dtype)) work += kRounding;
    int loads = 0;
    for (ir::ValueId in : node.inputs) {
      work += cost.work[static_cast<size_t>(in)];
      loads += cost.loads[static_cast<size_t>(in)];
    }
    cost.work[out] = std::min(work, kMaxCost);
    cost.loads[out] = std::min(loads, kMaxCost);
  }
  return cost;
}

}  // namespace antler::compiler
