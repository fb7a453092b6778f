#pragma once

#include <functional>
#include <map>
#include <string>

#include "antler/base/json.h"
#include "antler/nn/functional_graph.h"

/// The graph of a functional model to and from Keras's configurations.
namespace antler::training {

/// The input and output placeholders of a graph.
struct GraphEnds {
  Nest inputs;
  Nest outputs;
};

/// What replaces parts of a configuration; all of it is optional.
struct GraphParts {
  std::function<LayerPtr(const Json& entry)> layer = {};  ///< in place of deserialize_layer()
  std::map<std::string, Tensor> inputs = {};              ///< by the names of the input layers
  /// In place of `layer(inputs, options)`.
  std::function<Nest(const Layer& layer, const Nest& inputs, const CallOptions& options)> call = {};
};

/// Creates the layers of a configuration and connects them. Reads the nodes of Keras 3 (`args` and
/// `kwargs`) and of Keras 2 (lists of [layer, node, tensor, kwargs]). Throws ValueError for a graph
/// with cycles or missing nodes, and what deserialize_layer() throws.
GraphEnds graph_from_config(const Json& config, const GraphParts& parts = {});

/// Adds "layers", "input_layers" and "output_layers" to `config`.
void add_graph_config(const FunctionalGraph& graph, Json& config);

}  // namespace antler::training
