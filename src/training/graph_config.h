#pragma once

#include <string>

#include "antler/base/json.h"
#include "antler/nn/functional_graph.h"

/// The graph of a functional model to and from Keras's configurations.
namespace antler::training {

/// Placeholders at which a graph starts and ends.
struct GraphEnds {
  Nest inputs;
  Nest outputs;
};

/// Makes the layers of a configuration and calls them on each other. Reads the form of Keras 3
/// (nodes with `args` and `kwargs`) and that of Keras 2 (lists of [layer, node, tensor, kwargs]).
/// Throws ValueError for a graph that has loops or loose ends, and what deserialize_layer() throws.
GraphEnds graph_from_config(const Json& config);

/// "layers", "input_layers" and "output_layers", added to `config`.
void add_graph_config(const FunctionalGraph& graph, Json& config);

}  // namespace antler::training
