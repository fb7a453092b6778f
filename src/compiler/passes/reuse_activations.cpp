#include "compiler/cost.h"
#include "compiler/passes/folding.h"
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "compiler/views.h"

namespace antler::compiler {
namespace {

using ir::ValueId;

/// select(z <= k, k, z), a relu: z <= k holds exactly where the result is <= k.
bool is_relu(const ir::Graph& graph, const ir::Node& node) {
  if (kind_of(node) != OpKind::select) return false;
  const ir::Node* mask = graph.definition(node.inputs[0]);
  if (mask == nullptr || kind_of(*mask) != OpKind::le) return false;
  return mask->inputs[0] == node.inputs[2] && mask->inputs[1] == node.inputs[1];
}

}  // namespace

ir::Graph reuse_activations(const ir::Graph& graph, const CompileOptions&) {
  // Values that are in memory whatever fusion does.
  std::vector<char> kept(graph.values.size(), 0);
  for (const ir::Node& node : graph.nodes) {
    if (is_fusable(graph, node)) continue;
    for (ValueId v : node.inputs) kept[static_cast<size_t>(storage_base(graph, v))] = 1;
  }
  for (ValueId v : graph.results()) kept[static_cast<size_t>(storage_base(graph, v))] = 1;

  Rewriter to(graph);
  for (const ir::Node& node : graph.nodes) {
    to.copy(node);
    if (!is_relu(graph, node) || kept[static_cast<size_t>(node.outputs[0])] == 0) continue;
    if (kept[static_cast<size_t>(storage_base(graph, node.inputs[2]))] != 0) continue;
    // Later readers of the mask test the result; the old comparison is dead if nothing else reads
    // it.
    const ValueId mask = to.add(OpKind::le, {to.map(node.outputs[0]), to.map(node.inputs[1])});
    to.replace(node.inputs[0], mask);
  }
  return to.finish();
}

}  // namespace antler::compiler
