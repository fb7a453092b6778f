#include <string>
#include <unordered_map>

#include "compiler/node_key.h"
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"

namespace antler::compiler {

ir::Graph cse(const ir::Graph& graph, const CompileOptions&) {
  Rewriter to(graph);
  std::unordered_map<std::string, const ir::Node*> seen;
  for (const ir::Node& node : graph.nodes) {
    if (node.op->op_class == ir::OpClass::effect) {
      to.copy(node);
      continue;
    }
    const auto [it, fresh] = seen.try_emplace(key_of(node, to.map(node.inputs)), &node);
    if (fresh) {
      to.copy(node);
      continue;
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      to.replace(node.outputs[i], to.map(it->second->outputs[i]));
    }
  }
  return to.finish();
}

}  // namespace antler::compiler
