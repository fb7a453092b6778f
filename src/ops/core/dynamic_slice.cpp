#include <algorithm>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "ops/movement_ops.h"
#include "ops/strided.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

void check_block(const char* op, const TensorSpec& x, const Shape& block,
                 const TensorSpec& starts) {
  bool fits = block.rank() == x.shape.rank();
  for (int i = 0; fits && i < block.rank(); ++i) fits = block[i] >= 0 && block[i] <= x.shape[i];
  if (!fits) {
    throw ValueError("ops::{}: a block of shape {} does not fit an array of shape {}.", op, block,
                     x.shape);
  }
  if (!is_integer(starts.dtype) || !(starts.shape == Shape{x.shape.rank()})) {
    throw ValueError(
        "ops::{}: starts must be an integer vector with {} elements, one for each dimension. "
        "Received: {}",
        op, x.shape.rank(), spec_str(starts));
  }
}

/// Offset of the first element of the block, after moving the block into the array.
int64_t clamped_offset(const Tensor& starts, const Shape& whole, const Shape& block) {
  const std::vector<int64_t> corner = to_int64s(starts);
  const std::vector<int64_t> strides = whole.strides();
  int64_t offset = 0;
  for (size_t i = 0; i < corner.size(); ++i) {
    const int64_t last = whole.dims()[i] - block.dims()[i];
    offset += std::clamp<int64_t>(corner[i], 0, last) * strides[i];
  }
  return offset;
}

std::vector<TensorSpec> infer_dynamic_slice(const ir::InferArgs& args) {
  Shape block(args.attrs.ints("sizes"));
  check_block("dynamic_slice", args.inputs[0], block, args.inputs[1]);
  return {{args.inputs[0].dtype, std::move(block)}};
}

void reference_dynamic_slice(const ir::ReferenceArgs& args) {
  const Tensor& x = args.inputs[0];
  const Tensor& out = args.outputs[0];
  read_strided(x, out, clamped_offset(args.inputs[1], x.shape(), out.shape()), x.shape().strides());
}

Tensors vjp_dynamic_slice(const ir::VjpArgs& args) {
  return {dynamic_update_slice(zeros_like(args.inputs[0]), args.grads[0], args.inputs[1]), {}};
}

std::vector<TensorSpec> infer_dynamic_update_slice(const ir::InferArgs& args) {
  check_block("dynamic_update_slice", args.inputs[0], args.inputs[1].shape, args.inputs[2]);
  if (args.inputs[0].dtype != args.inputs[1].dtype) {
    throw TypeError(
        "ops::dynamic_update_slice: x and update must have the same dtype. Received: {} and {}",
        spec_str(args.inputs[0]), spec_str(args.inputs[1]));
  }
  return {args.inputs[0]};
}

void reference_dynamic_update_slice(const ir::ReferenceArgs& args) {
  const Tensor& x = args.inputs[0];
  const Tensor& update = args.inputs[1];
  const std::vector<int64_t> strides = x.shape().strides();
  read_strided(x, args.outputs[0], 0, strides);
  write_strided(update, args.outputs[0], clamped_offset(args.inputs[2], x.shape(), update.shape()),
                strides);
}

Tensors vjp_dynamic_update_slice(const ir::VjpArgs& args) {
  const Tensor& update = args.inputs[1];
  const Tensor& starts = args.inputs[2];
  return {dynamic_update_slice(args.grads[0], zeros_like(update), starts),
          dynamic_slice(args.grads[0], starts, update.shape().dims()),
          {}};
}

}  // namespace

const ir::OpDef kDynamicSlice = {.name = "dynamic_slice",
                                 .infer = infer_dynamic_slice,
                                 .vjp = vjp_dynamic_slice,
                                 .reference = reference_dynamic_slice};
const ir::OpDef kDynamicUpdateSlice = {.name = "dynamic_update_slice",
                                       .infer = infer_dynamic_update_slice,
                                       .vjp = vjp_dynamic_update_slice,
                                       .reference = reference_dynamic_update_slice};

Tensor dynamic_slice(const Tensor& x, const Tensor& starts, std::vector<int64_t> sizes) {
  return ir::emit_one(kDynamicSlice, {x, starts}, {{"sizes", std::move(sizes)}});
}

Tensor dynamic_update_slice(const Tensor& x, const Tensor& update, const Tensor& starts) {
  require_defined("dynamic_update_slice", x);
  require_defined("dynamic_update_slice", update);
  return ir::emit_one(kDynamicUpdateSlice, {x, to_dtype(update, x.dtype()), starts});
}

}  // namespace antler::ops
