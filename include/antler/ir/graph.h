#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "antler/core/variable.h"
#include "antler/ir/attrs.h"
#include "antler/ir/op_def.h"

namespace antler::ir {

using ValueId = int32_t;
using NodeId = int32_t;

/// One SSA value: a graph input (node == -1) or an output of a node.
struct Value {
  TensorSpec spec;
  NodeId node = -1;
  int32_t index = 0;  ///< which input of the graph, or which output of the node
};

/// The part of a model that a node belongs to: the path of a layer, "model/dense", or
/// "gradients/model/dense". Null if unknown. For messages and profiles only.
using Origin = std::shared_ptr<const std::string>;

/// During its lifetime, the nodes that this thread creates get this origin.
class OriginScope {
 public:
  explicit OriginScope(Origin origin);
  ~OriginScope();
  OriginScope(const OriginScope&) = delete;
  OriginScope& operator=(const OriginScope&) = delete;
  static const Origin& current();

 private:
  Origin previous_;
};

/// An operation with its operands and results.
struct Node {
  const OpDef* op = nullptr;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  Attrs attrs;
  Regions regions;
  Origin origin = OriginScope::current();
};

/// A variable that the graph reads or writes. `input` is the graph input that holds its value at
/// the start of a step; `output` is its value at the end, or -1 if the graph does not write it.
struct StateSlot {
  Variable variable;
  ValueId input = -1;
  ValueId output = -1;
};

/// A pure function in SSA form. Nodes are in topological order: every value is defined before it is
/// used. Values are identified by index. Graph inputs are `inputs` (arguments) and the inputs of
/// `states`.
class Graph {
 public:
  std::vector<Node> nodes;
  std::vector<Value> values;
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
  std::vector<StateSlot> states;

  const TensorSpec& spec(ValueId v) const { return values[static_cast<size_t>(v)].spec; }
  const Value& value(ValueId v) const { return values[static_cast<size_t>(v)]; }
  /// Node that defines a value; null for graph inputs.
  const Node* definition(ValueId v) const {
    const NodeId n = value(v).node;
    return n < 0 ? nullptr : &nodes[static_cast<size_t>(n)];
  }

  ValueId add_input(TensorSpec spec);
  /// Appends a node; returns the ids of its outputs.
  std::vector<ValueId> add_node(const OpDef& op, std::vector<ValueId> inputs, Attrs attrs,
                                Regions regions, std::vector<TensorSpec> outputs);
  /// Value ids that are results: outputs and written states.
  std::vector<ValueId> results() const;
};

/// Prints a graph, one node per line: `%7 = add(%3, %5) : float32 (64, 10)`.
std::string print(const Graph& graph);

/// Throws an InternalError that names the node unless every input is defined before its use, every
/// node has the outputs that its op's shape rule gives, every result exists, and written states
/// keep dtype and shape.
void verify(const Graph& graph);

/// `graph` without the nodes that no result needs; values are renumbered.
Graph prune(const Graph& graph);

}  // namespace antler::ir
