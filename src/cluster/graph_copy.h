#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "antler/ir/graph.h"

namespace antler::cluster {

/// Copies parts of a graph into a new one.
class GraphCopy {
 public:
  explicit GraphCopy(const ir::Graph& from) : from_(from), map_(from.values.size(), -1) {}

  ir::ValueId map(ir::ValueId v) const { return map_[static_cast<size_t>(v)]; }
  /// Turns a value of the old graph into an input of the new one.
  ir::ValueId input(ir::ValueId v) {
    return map_[static_cast<size_t>(v)] = to.add_input(from_.spec(v));
  }
  void add(const ir::Node& node) {
    const ir::OriginScope origin(node.origin);
    std::vector<ir::ValueId> inputs;
    std::vector<TensorSpec> specs;
    for (const ir::ValueId v : node.inputs) inputs.push_back(map(v));
    for (const ir::ValueId v : node.outputs) specs.push_back(from_.spec(v));
    const std::vector<ir::ValueId> outputs =
        to.add_node(*node.op, std::move(inputs), node.attrs, node.regions, std::move(specs));
    for (size_t i = 0; i < outputs.size(); ++i)
      map_[static_cast<size_t>(node.outputs[i])] = outputs[i];
  }

  ir::Graph to;

 private:
  const ir::Graph& from_;
  std::vector<ir::ValueId> map_;
};

}  // namespace antler::cluster
