#include "compiler/message_stages.h"

#include <algorithm>

#include "compiler/at.h"
#include "ops/worker_collectives.h"

namespace antler::compiler {

std::vector<int> message_stages(const ir::Graph& graph) {
  const auto is_start = [](const ir::Node& node) { return node.op == &ops::kWorkerAllReduceStart; };
  const auto count =
      static_cast<int>(std::count_if(graph.nodes.begin(), graph.nodes.end(), is_start));
  std::vector<int> stages(graph.values.size(), count);
  if (count == 0) return stages;
  int next = count;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (is_start(*node)) stages[at(node->outputs[0])] = --next;
    int stage = count;
    for (const ir::ValueId v : node->outputs) stage = std::min(stage, stages[at(v)]);
    for (const ir::ValueId v : node->inputs) stages[at(v)] = std::min(stages[at(v)], stage);
  }
  return stages;
}

}  // namespace antler::compiler
