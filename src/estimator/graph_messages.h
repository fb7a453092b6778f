#pragma once

#include <string>
#include <vector>

#include "antler/estimator/graph.h"
#include "antler/estimator/scaffold.h"
#include "antler/estimator/summary_writer.h"
#include "saving/export/tf_variables.h"

/// A graph's variables in TensorFlow's formats, for its tools.
namespace antler::estimator {

/// The global variables.
std::vector<saving::TfGraphVariable> graph_variables(const Graph& graph);

struct GraphMessages {
  std::string graph_def;
  std::string meta_graph_def;
};
/// A GraphDef of the global variables and of the nodes that save and restore them, and the
/// MetaGraphDef that `.meta` files contain: tf.compat.v1.train.import_meta_graph creates a Saver
/// from it.
GraphMessages graph_messages(const Graph& graph, const SaverOptions& saver);
/// Writes them to an event file, unless it has a graph.
void write_graph_once(SummaryWriter& writer, const Graph& graph);

}  // namespace antler::estimator
