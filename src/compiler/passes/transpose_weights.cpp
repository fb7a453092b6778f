#include <algorithm>

#include "compiler/at.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/scan_parts.h"
#include "compiler/rewriter.h"

namespace antler::compiler {
namespace {

using ir::ValueId;

/// The body with the loop-invariant weights w of dot(x, w) transposed, so that the contracted
/// dimension comes first and the product reads w contiguously.
ir::GraphPtr transposed_body(const ScanParts& scan) {
  ir::Graph body = scan.body;
  std::vector<char> varies(body.values.size(), 0);
  for (size_t i = 0; i < scan.num_read(); ++i) varies[at(body.inputs[i])] = 1;
  bool changed = false;
  std::vector<ir::Node> nodes;
  nodes.swap(body.nodes);
  for (ir::Node& node : nodes) {
    const bool any = std::any_of(node.inputs.begin(), node.inputs.end(),
                                 [&](ValueId v) { return varies[at(v)] != 0; });
    if (any && kind_of(node) == OpKind::dot_general && varies[at(node.inputs[1])] == 0) {
      const TensorSpec w = body.spec(node.inputs[1]);
      const ir::Ints& contract = node.attrs.ints("rhs_contract");
      if (w.shape.rank() == 2 && contract == ir::Ints{1}) {
        node.inputs[1] =
            body.add_node(op_of(OpKind::transpose), {node.inputs[1]}, {{"perm", ir::Ints{1, 0}}},
                          {}, {{w.dtype, {w.shape[1], w.shape[0]}}})[0];
        varies.push_back(0);
        node.attrs.set("rhs_contract", ir::Ints{0});
        changed = true;
      }
    }
    const auto n = static_cast<ir::NodeId>(body.nodes.size());
    for (ValueId v : node.outputs) {
      body.values[at(v)].node = n;
      varies[at(v)] = any ? 1 : 0;
    }
    body.nodes.push_back(std::move(node));
  }
  return changed ? std::make_shared<const ir::Graph>(std::move(body)) : scan.node.regions[0];
}

}  // namespace

ir::Graph transpose_weights(const ir::Graph& graph, const CompileOptions&) {
  ir::Graph to = graph;
  for (ir::Node& node : to.nodes) {
    if (kind_of(node) == OpKind::scan) node.regions = {transposed_body(ScanParts(node))};
  }
  return to;
}

}  // namespace antler::compiler
