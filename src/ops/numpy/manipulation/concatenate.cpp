#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/movement_ops.h"
#include "ops/strided.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

std::vector<TensorSpec> infer_concatenate(const ir::InferArgs& args) {
  const auto axis = static_cast<int>(args.attrs.integer("axis"));
  if (args.inputs.empty()) throw ValueError("ops::concatenate: expected at least one tensor.");
  TensorSpec result = args.inputs[0];
  if (axis < 0 || axis >= result.shape.rank()) {
    throw ValueError("ops::concatenate: axis {} is out of range for arrays of shape {}.", axis,
                     result.shape);
  }
  for (const TensorSpec& x : args.inputs.subspan(1)) {
    Shape expected = result.shape;
    if (x.shape.rank() == expected.rank()) expected[axis] = x.shape[axis];
    if (!(x.shape == expected) || x.dtype != result.dtype) {
      throw ValueError(
          "ops::concatenate: the arrays must have equal shapes except along axis {}. Received: {} "
          "and {}",
          axis, spec_str(args.inputs[0]), spec_str(x));
    }
    result.shape[axis] += x.shape[axis];
  }
  return {result};
}

void reference_concatenate(const ir::ReferenceArgs& args) {
  const auto axis = static_cast<size_t>(args.attrs.integer("axis"));
  const std::vector<int64_t> strides = args.outputs[0].shape().strides();
  int64_t at = 0;
  for (const Tensor& x : args.inputs) {
    write_strided(x, args.outputs[0], at * strides[axis], strides);
    at += x.shape().dims()[axis];
  }
}

Tensors vjp_concatenate(const ir::VjpArgs& args) {
  const int64_t axis = args.attrs.integer("axis");
  Tensors grads;
  int64_t at = 0;
  for (const Tensor& x : args.inputs) {
    const int64_t size = x.dim(static_cast<int>(axis));
    grads.push_back(slice_axis(args.grads[0], axis, at, at + size));
    at += size;
  }
  return grads;
}

}  // namespace

const ir::OpDef kConcatenate = {.name = "concatenate",
                                .infer = infer_concatenate,
                                .vjp = vjp_concatenate,
                                .reference = reference_concatenate};

Tensor concatenate(const std::vector<Tensor>& xs, int64_t axis) {
  if (xs.empty())
    throw ValueError("ops::concatenate: expected at least one tensor. Received: none.");
  for (const Tensor& x : xs) require_defined("concatenate", x);
  const int64_t a = normalize_axis_of("concatenate", axis, xs[0].rank());
  if (xs.size() == 1) return xs[0];
  const DType dtype = result_dtype(xs);
  Tensors operands;
  for (const Tensor& x : xs) operands.push_back(to_dtype(x, dtype));
  return ir::emit_one(kConcatenate, operands, {{"axis", a}});
}

Tensor stack(const std::vector<Tensor>& xs, int64_t axis) {
  if (xs.empty()) throw ValueError("ops::stack: expected at least one tensor. Received: none.");
  Tensors parts;
  for (const Tensor& x : xs) {
    require_defined("stack", x);
    if (!(x.shape() == xs[0].shape())) {
      throw ValueError("ops::stack: all arrays must have the same shape. Received: {} and {}",
                       xs[0].shape(), x.shape());
    }
    parts.push_back(expand_dims(x, axis));
  }
  return concatenate(parts, normalize_axis_of("stack", axis, xs[0].rank() + 1));
}

}  // namespace antler::ops
