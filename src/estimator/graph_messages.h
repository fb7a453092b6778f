#pragma once

#include <string>
#include <vector>

#include "antler/estimator/graph.h"
#include "antler/estimator/scaffold.h"
#include "saving/export/tf_variables.h"

/// A graph's variables in the terms of TensorFlow, for its tools.
namespace antler::estimator {

/// The global variables.
std::vector<saving::TfGraphVariable> graph_variables(const Graph& graph);

struct GraphMessages {
  std::string graph_def;
  std::string meta_graph_def;
};
/// A GraphDef of the global variables and of what saves and restores them, and the MetaGraphDef
/// that `.meta` files hold: tf.compat.v1.train.import_meta_graph makes a Saver of it.
GraphMessages graph_messages(const Graph& graph, const SaverOptions& saver);

}  // namespace antler::estimator
