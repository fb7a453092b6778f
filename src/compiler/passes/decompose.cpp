#include <span>

#include "antler/ir/tracer.h"
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"

namespace antler::compiler {
namespace {

bool is_composite(const ir::Graph& graph, const ir::Node& node, const CompileOptions& options) {
  if (node.op->decompose == nullptr) return false;
  return !options.prefers_library || !options.prefers_library(graph, node);
}

ir::Graph trace_parts(const ir::Graph& graph, const ir::Node& node) {
  const ir::TraceSuspension outside;
  ir::Tracer tracer;
  Tensors inputs;
  for (ir::ValueId v : node.inputs) inputs.push_back(tracer.input(graph.spec(v)));
  const Tensors outputs = node.op->decompose(inputs, node.attrs);
  return tracer.finish(outputs).graph;
}

}  // namespace

ir::Graph decompose(const ir::Graph& graph, const CompileOptions& options) {
  bool found = false;
  for (const ir::Node& node : graph.nodes) found = found || is_composite(graph, node, options);
  if (!found) return graph;
  Rewriter to(graph);
  for (const ir::Node& node : graph.nodes) {
    if (!is_composite(graph, node, options)) {
      to.copy(node);
      continue;
    }
    const ir::OriginScope origin(node.origin);
    const auto outputs = to.inline_graph(trace_parts(graph, node), to.map(node.inputs));
    for (size_t i = 0; i < outputs.size(); ++i) to.replace(node.outputs[i], outputs[i]);
  }
  // Decompositions may contain composites.
  return decompose(to.finish(), options);
}

}  // namespace antler::compiler
