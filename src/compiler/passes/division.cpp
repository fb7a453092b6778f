#include "compiler/passes/division.h"

#include "compiler/at.h"
#include "compiler/op_kind.h"

namespace antler::compiler {
namespace {

using ir::Ints;
using ir::ValueId;

constexpr int64_t kUndecided = -2;
/// Limits the rounds; each propagates decisions through the whole graph forwards and backwards.
constexpr int kMostRounds = 8;

}  // namespace

std::optional<MeshAxis> joined_along(const ir::Node& node) {
  if (kind_of(node) != OpKind::concatenate || !node.attrs.has("mesh_axis")) return {};
  return MeshAxis{node.attrs.string("mesh_axis"), static_cast<int64_t>(node.inputs.size())};
}

std::optional<MeshAxis> split_along(const ir::Node& node) {
  if (kind_of(node) != OpKind::slice || !node.attrs.has("mesh_axis")) return {};
  return MeshAxis{node.attrs.string("mesh_axis"), node.attrs.integer("parts")};
}

Division::Division(const ir::Graph& graph, const MeshAxis& axis)
    : graph_(graph), axis_(axis), dims_(graph.values.size(), kUndecided) {
  for (size_t v = 0; v < dims_.size(); ++v) {
    // Inputs are whole anyway, and literals cost nothing.
    const ir::Node* node = graph.definition(static_cast<ValueId>(v));
    if (node == nullptr || node->inputs.empty()) dims_[v] = kWhole;
  }
  for (const ir::Node& node : graph.nodes) {
    if (joined_along(node) == axis) dims_[at(node.outputs[0])] = node.attrs.integer("axis");
  }
  for (int round = 0; round < kMostRounds; ++round) {
    bool changed = false;
    for (const ir::Node& node : graph.nodes) changed = go_forward(node) || changed;
    for (size_t n = graph.nodes.size(); n-- > 0;) changed = go_backward(graph.nodes[n]) || changed;
    if (!changed) break;
  }
}

int64_t Division::of(ValueId v) const {
  const int64_t d = dims_[at(v)];
  return d == kUndecided ? kWhole : d;
}

std::optional<Ints> Division::combined(const ir::Node& node) const {
  if (node.outputs.size() != 1 || of(node.outputs[0]) != kWhole) return {};
  for (size_t k = 0; k < node.inputs.size(); ++k) {
    const int64_t d = of(node.inputs[k]);
    if (d == kWhole) continue;
    if (auto dims = reduced_dims(graph_, node, k, d)) return dims;
  }
  return {};
}

bool Division::go_forward(const ir::Node& node) {
  if (node.outputs.size() != 1 || dims_[at(node.outputs[0])] != kUndecided) return false;
  int64_t& result = dims_[at(node.outputs[0])];
  const int rank = graph_.spec(node.outputs[0]).shape.rank();
  for (size_t k = 0; k < node.inputs.size(); ++k) {
    const int64_t given = of(node.inputs[k]);
    if (given == kWhole) continue;
    if (reduced_dims(graph_, node, k, given)) {
      result = kWhole;
      return true;
    }
    for (int64_t d = 0; d < rank; ++d) {
      const auto dims = operand_dims(graph_, node, d, axis_.size);
      if (!dims || (*dims)[k] != given) continue;
      result = d;
      return true;
    }
  }
  return false;
}

bool Division::go_backward(const ir::Node& node) {
  if (split_along(node) == axis_) return want(node.inputs[0], node.attrs.integer("axis"));
  if (node.outputs.size() != 1 || of(node.outputs[0]) == kWhole) return false;
  if (joined_along(node) == axis_) return false;
  const auto dims = operand_dims(graph_, node, of(node.outputs[0]), axis_.size);
  bool changed = false;
  for (size_t k = 0; dims && k < node.inputs.size(); ++k) {
    if ((*dims)[k] != kWhole) changed = want(node.inputs[k], (*dims)[k]) || changed;
  }
  return changed;
}

bool Division::want(ValueId v, int64_t dimension) {
  if (dims_[at(v)] != kUndecided) return false;
  const ir::Node& node = *graph_.definition(v);
  if (!operand_dims(graph_, node, dimension, axis_.size)) return false;
  dims_[at(v)] = dimension;
  return true;
}

}  // namespace antler::compiler
