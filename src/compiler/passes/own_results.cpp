#include <unordered_set>

#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "compiler/views.h"

namespace antler::compiler {

ir::Graph own_results(const ir::Graph& graph, const CompileOptions&) {
  Rewriter owned(graph);
  for (const ir::Node& node : graph.nodes) owned.copy(node);
  std::unordered_set<ir::ValueId> taken;  // bases of results
  const auto own = [&](ir::ValueId v) {
    const ir::ValueId base = storage_base(owned.graph(), v);
    const ir::Node* definition = owned.graph().definition(base);
    const bool fixed = definition == nullptr || kind_of(*definition) == OpKind::constant;
    if (!fixed && taken.insert(base).second) return v;
    const ir::ValueId copy = owned.add(OpKind::stop_gradient, {v});
    taken.insert(copy);
    return copy;
  };
  std::vector<ir::ValueId> outputs;
  for (ir::ValueId v : graph.outputs) outputs.push_back(own(owned.map(v)));
  std::vector<ir::ValueId> states;
  for (const ir::StateSlot& slot : graph.states) {
    states.push_back(slot.output < 0 || slot.output == slot.input ? -1
                                                                  : own(owned.map(slot.output)));
  }
  ir::Graph final_graph = owned.finish();
  final_graph.outputs = std::move(outputs);
  for (size_t i = 0; i < states.size(); ++i) final_graph.states[i].output = states[i];
  return final_graph;
}

}  // namespace antler::compiler
