#pragma once

#include "compiler/rewriter.h"

namespace antler::compiler {

/// Appends nodes in their simplest form: add() is the whole pass for one node whose operands are
/// already simple.
class Simplifier {
 public:
  explicit Simplifier(const ir::Graph& from) : to(from) {}

  /// The value of `op` on `inputs`: an existing value if one is equal.
  ir::ValueId add(const ir::OpDef& op, const std::vector<ir::ValueId>& inputs,
                  const ir::Attrs& attrs);
  ir::ValueId add(OpKind kind, const std::vector<ir::ValueId>& inputs,
                  const ir::Attrs& attrs = {}) {
    return add(op_of(kind), inputs, attrs);
  }
  ir::ValueId reshape(ir::ValueId x, const Shape& shape) {
    return add(OpKind::reshape, {x}, {{"shape", shape.dims()}});
  }
  ir::ValueId broadcast(ir::ValueId x, const Shape& shape, const ir::Ints& dims) {
    return add(OpKind::broadcast, {x}, {{"shape", shape.dims()}, {"dims", dims}});
  }
  /// `number` in every element.
  ir::ValueId filled(double number, DType dtype, const Shape& shape) {
    return broadcast(add_constant(to, Tensor::full(dtype, {}, number)), shape, {});
  }

  Rewriter to;

 private:
  // Each returns a simpler value, or -1 if it knows none.
  ir::ValueId view(OpKind kind, ir::ValueId x, const ir::Attrs& attrs);
  ir::ValueId reshape_of(ir::ValueId x, const Shape& shape);
  ir::ValueId broadcast_of(ir::ValueId x, const Shape& shape, const ir::Ints& dims);
  ir::ValueId transpose_of(ir::ValueId x, const ir::Ints& perm);
  ir::ValueId slice_of(ir::ValueId x, const ir::Attrs& attrs);
  ir::ValueId reverse_of(ir::ValueId x, const ir::Ints& axes);
  ir::ValueId reduce(OpKind kind, ir::ValueId x, const ir::Ints& axes);
  ir::ValueId reduce_broadcast(OpKind kind, ir::ValueId x, const ir::Ints& axes);
  ir::ValueId elementwise(OpKind kind, const std::vector<ir::ValueId>& inputs,
                          const ir::Attrs& attrs);
  ir::ValueId unary(OpKind kind, ir::ValueId x, const ir::Attrs& attrs);
  ir::ValueId binary(OpKind kind, ir::ValueId x, ir::ValueId y);
  ir::ValueId select(ir::ValueId condition, ir::ValueId x, ir::ValueId y);
  ir::ValueId below_broadcast(const ir::OpDef& op, const std::vector<ir::ValueId>& inputs,
                              const ir::Attrs& attrs);
  ir::ValueId join_pads(ir::ValueId x, ir::ValueId y);
  ir::ValueId movement(OpKind kind, const std::vector<ir::ValueId>& inputs, const ir::Attrs& attrs);

  const ir::Node* definition(ir::ValueId v, OpKind kind) const;
};

}  // namespace antler::compiler
