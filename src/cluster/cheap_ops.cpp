#include "cluster/cheap_ops.h"

#include <algorithm>
#include <string_view>

namespace antler::cluster {
namespace {

using ir::Node;
using ir::OpClass;
using ir::ValueId;

/// Whether all operands and results have one shape.
bool is_uniform(const ir::Graph& graph, const Node& node) {
  const Shape& shape = graph.spec(node.outputs[0]).shape;
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](ValueId v) { return graph.spec(v).shape == shape; });
}

}  // namespace

bool is_cheap(const ir::Graph& graph, const Node& node) {
  if (!node.regions.empty()) return false;
  switch (node.op->op_class) {
    case OpClass::elementwise:
    case OpClass::source:
    case OpClass::view:
      return true;
    case OpClass::other:
      return std::string_view(node.op->name) == "scatter" ||
             (node.op->decompose != nullptr && is_uniform(graph, node));
    case OpClass::reduce:
    case OpClass::effect:
      return false;
  }
  return false;
}

}  // namespace antler::cluster
