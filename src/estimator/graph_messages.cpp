#include "estimator/graph_messages.h"

namespace antler::estimator {

std::vector<saving::TfGraphVariable> graph_variables(const Graph& graph) {
  std::vector<saving::TfGraphVariable> variables;
  for (const auto& [name, variable] : graph.variables(Collection::global)) {
    variables.push_back({name, variable.dtype(), variable.shape(), variable.trainable()});
  }
  return variables;
}

GraphMessages graph_messages(const Graph& graph, const SaverOptions& saver) {
  const std::vector<saving::TfGraphVariable> variables = graph_variables(graph);
  saving::TfGraphWriter nodes;
  saving::add_variables(nodes, variables);
  saving::add_saver(nodes, variables);
  const io::WireWriter saver_def =
      saving::saver_def({.max_to_keep = saver.max_to_keep.value_or(0),
                         .keep_checkpoint_every_n_hours = saver.keep_checkpoint_every_n_hours});
  const io::WireWriter meta_graph =
      saving::meta_graph_def(nodes, {}, saver_def, saving::variable_collections(variables), {});
  return {nodes.graph_def().str(), meta_graph.str()};
}

void write_graph_once(SummaryWriter& writer, const Graph& graph) {
  if (writer.has_graph()) return;
  const GraphMessages messages = graph_messages(graph, {});
  writer.graph(messages.graph_def);
  writer.meta_graph(messages.meta_graph_def);
}

}  // namespace antler::estimator
