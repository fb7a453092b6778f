#pragma once

#include <vector>

#include "antler/ir/graph.h"
#include "compiler/op_kind.h"

namespace antler::compiler {

/// Builds a new graph from an old one, node by node. Most passes use it.
///
///     Rewriter to(graph);
///     for (const ir::Node& node : graph.nodes) {
///       if (...) to.replace(node.outputs[0], to.add(OpKind::mul, {...}));
///       else to.copy(node);
///     }
///     return to.finish();
class Rewriter {
 public:
  /// Copies the inputs and states of `from`.
  explicit Rewriter(const ir::Graph& from);

  /// The value that replaces a value of the old graph.
  ir::ValueId map(ir::ValueId old_value) const { return map_[static_cast<size_t>(old_value)]; }
  std::vector<ir::ValueId> map(const std::vector<ir::ValueId>& old_values) const;
  /// Replaces an old value by a new one.
  void replace(ir::ValueId old_value, ir::ValueId new_value) {
    map_[static_cast<size_t>(old_value)] = new_value;
  }

  /// Appends a node with the shapes that its op gives.
  std::vector<ir::ValueId> add(const ir::OpDef& op, std::vector<ir::ValueId> inputs,
                               ir::Attrs attrs = {}, ir::Regions regions = {});
  /// add() of an op with one output.
  ir::ValueId add(OpKind kind, std::vector<ir::ValueId> inputs, ir::Attrs attrs = {}) {
    return add(op_of(kind), std::move(inputs), std::move(attrs))[0];
  }
  /// Appends an old node with its mapped inputs.
  void copy(const ir::Node& node);
  /// Appends the nodes of `body` with `arguments` for its inputs; returns its outputs. `body` has
  /// no states.
  std::vector<ir::ValueId> inline_graph(const ir::Graph& body,
                                        const std::vector<ir::ValueId>& arguments);

  const ir::Graph& graph() const { return to_; }
  // By value: a reference would not stay valid when the next node is added.
  TensorSpec spec(ir::ValueId v) const { return to_.spec(v); }
  Shape shape(ir::ValueId v) const { return to_.spec(v).shape; }
  DType dtype(ir::ValueId v) const { return to_.spec(v).dtype; }

  /// The new graph, with the old one's outputs and state outputs.
  ir::Graph finish();

 private:
  const ir::Graph& from_;
  ir::Graph to_;
  std::vector<ir::ValueId> map_;
};

// Nodes that several passes make.
ir::ValueId add_constant(Rewriter& to, const Tensor& value);
/// `x` itself if it has the shape.
ir::ValueId add_reshape(Rewriter& to, ir::ValueId x, const Shape& shape);
ir::ValueId add_transpose(Rewriter& to, ir::ValueId x, const ir::Ints& perm);
ir::ValueId add_broadcast(Rewriter& to, ir::ValueId x, const Shape& shape, const ir::Ints& dims);
ir::ValueId add_convert(Rewriter& to, ir::ValueId x, DType dtype);
/// `value` in every element.
ir::ValueId add_filled(Rewriter& to, double value, DType dtype, const Shape& shape);

}  // namespace antler::compiler
