#include "compiler/views.h"

#include "compiler/op_kind.h"

namespace antler::compiler {

bool is_alias(const ir::Graph& graph, const ir::Node& node) {
  const OpKind kind = kind_of(node);
  if (kind == OpKind::reshape) return true;
  // Dimensions keep their order in a broadcast and in a reduction, so equal counts mean that only
  // dimensions of size 1 come or go.
  return (kind == OpKind::broadcast || is_reduction(kind)) &&
         graph.spec(node.inputs[0]).shape.num_elements() ==
             graph.spec(node.outputs[0]).shape.num_elements();
}

ir::ValueId storage_base(const ir::Graph& graph, ir::ValueId v) {
  const ir::Node* node = graph.definition(v);
  while (node != nullptr && is_alias(graph, *node)) {
    v = node->inputs[0];
    node = graph.definition(v);
  }
  return v;
}

}  // namespace antler::compiler
