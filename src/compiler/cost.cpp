#include "compiler/cost.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "compiler/loop_nest.h"
#include "compiler/op_kind.h"

namespace antler::compiler {
namespace {

constexpr int kMost = 1 << 20;
/// Rounding to a half type and back.
constexpr int kRounding = 3;

/// Fusion works with element indices as variables of loops; no element, no index.
bool is_empty(const ir::Graph& graph, const std::vector<ir::ValueId>& values) {
  return std::any_of(values.begin(), values.end(),
                     [&](ir::ValueId v) { return graph.spec(v).shape.num_elements() == 0; });
}

}  // namespace

bool is_fusable(const ir::Graph& graph, const ir::Node& node) {
  const OpKind kind = kind_of(node);
  const bool known = is_source(kind) || is_view(kind) || is_reduction(kind) || is_loop_op(*node.op);
  return known && !is_empty(graph, node.inputs) && !is_empty(graph, node.outputs);
}

int op_cost(const ir::OpDef& op) {
  static const std::unordered_map<std::string_view, int> costs = {
      {"convert", 1}, {"stop_gradient", 0}, {"div", 4},     {"sqrt", 4},     {"rsqrt", 4},
      {"rem", 8},     {"exp", 8},           {"expm1", 10},  {"log", 10},     {"log1p", 12},
      {"sin", 12},    {"cos", 12},          {"tan", 20},    {"asin", 20},    {"acos", 20},
      {"atan", 20},   {"sinh", 20},         {"cosh", 20},   {"tanh", 10},    {"asinh", 30},
      {"acosh", 30},  {"atanh", 30},        {"pow", 30},    {"atan2", 30},   {"sigmoid", 10},
      {"erf", 12},    {"erf_inv", 30},      {"lgamma", 40}, {"digamma", 40},
  };
  const auto it = costs.find(op.name);
  return it == costs.end() ? 1 : it->second;
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
    int work = is_view(kind) || kind == OpKind::iota ? 0 : op_cost(*node.op);
    if (work > 0 && is_half(graph.spec(node.outputs[0]).dtype)) work += kRounding;
    int loads = 0;
    for (ir::ValueId in : node.inputs) {
      work += cost.work[static_cast<size_t>(in)];
      loads += cost.loads[static_cast<size_t>(in)];
    }
    cost.work[out] = std::min(work, kMost);
    cost.loads[out] = std::min(loads, kMost);
  }
  return cost;
}

}  // namespace antler::compiler
