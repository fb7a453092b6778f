#include "antler/base/error.h"
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "ops/spmd.h"

namespace antler::compiler {

ir::Graph expand_replicas(const ir::Graph& graph, const CompileOptions& /*options*/) {
  bool found = false;
  for (const ir::Node& node : graph.nodes) found = found || node.op == &ops::kSpmd;
  if (!found) return graph;
  Rewriter to(graph);
  for (const ir::Node& node : graph.nodes) {
    if (node.op != &ops::kSpmd) {
      to.copy(node);
      continue;
    }
    if (node.regions.size() != 2) throw InternalError("spmd: no program for one device");
    const auto outputs = to.inline_graph(*node.regions[1], to.map(node.inputs));
    for (size_t i = 0; i < outputs.size(); ++i) to.replace(node.outputs[i], outputs[i]);
  }
  return to.finish();
}

}  // namespace antler::compiler
