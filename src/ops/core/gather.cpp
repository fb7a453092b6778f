#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/core/indexing.h"
#include "ops/movement_ops.h"
#include "ops/strided.h"
#include "ops/support.h"

namespace antler::ops {

Shape taken_shape(const Shape& x, const Shape& indices, int64_t axis) {
  std::vector<int64_t> dims(x.begin(), x.begin() + axis);
  dims.insert(dims.end(), indices.begin(), indices.end());
  dims.insert(dims.end(), x.begin() + axis + 1, x.end());
  return Shape(std::move(dims));
}

Shape taken_nd_shape(const char* op, const Shape& x, const Shape& indices) {
  if (indices.rank() < 1 || indices.back() > x.rank()) {
    throw ValueError(
        "ops::{}: the last dimension of the indices must be at most {}, the rank of an array of "
        "shape {}. Received: indices.shape={}",
        op, x.rank(), x, indices);
  }
  std::vector<int64_t> dims(indices.begin(), indices.end() - 1);
  dims.insert(dims.end(), x.begin() + indices.back(), x.end());
  return Shape(std::move(dims));
}

void require_integers(const char* op, DType indices) {
  if (is_integer(indices)) return;
  throw TypeError("ops::{}: indices must be integers. Received: dtype={}", op, dtype_name(indices));
}

namespace {

/// Narrow indices cannot hold the sizes that they are compared with, here and in gradients.
Tensor widened(const Tensor& indices) {
  return dtype_size(indices.dtype()) < 4 ? cast(indices, DType::int32)
                                         : to_dtype(indices, indices.dtype());
}

}  // namespace

Tensor wrap_negative(const Tensor& indices, int64_t size) {
  const Tensor wide = widened(indices);
  if (is_unsigned_integer(wide.dtype())) return wide;
  return where(less(wide, 0), add(wide, Tensor(size)), wide);
}

Tensor coordinate_limits(const Tensor& indices, const Shape& x) {
  const std::vector<int64_t> sizes(x.begin(), x.begin() + indices.shape().back());
  return cast(Tensor::of(sizes), indices.dtype());
}

Tensor wrap_negative_nd(const Tensor& indices, const Shape& x) {
  const Tensor wide = widened(indices);
  if (is_unsigned_integer(wide.dtype()) || indices.shape().back() == 0) return wide;
  return where(less(wide, 0), add(wide, coordinate_limits(wide, x)), wide);
}

namespace {

std::vector<TensorSpec> infer_gather(const ir::InferArgs& args) {
  const TensorSpec& x = args.inputs[0];
  const int64_t axis = args.attrs.integer("axis");
  require_integers("gather", args.inputs[1].dtype);
  if (axis < 0 || axis >= x.shape.rank()) {
    throw ValueError("ops::gather: axis {} is out of range for an array of shape {}.", axis,
                     x.shape);
  }
  const Shape& indices = args.inputs[1].shape;
  if (x.shape[static_cast<int>(axis)] == 0 && indices.num_elements() != 0) {
    throw ValueError(
        "ops::gather: cannot take from axis {} of an array of shape {}, which has no elements.",
        axis, x.shape);
  }
  return {{x.dtype, taken_shape(x.shape, indices, axis)}};
}

void reference_gather(const ir::ReferenceArgs& args) {
  const Tensor& x = args.inputs[0];
  const auto axis = static_cast<int>(args.attrs.integer("axis"));
  const std::vector<int64_t> indices = to_int64s(args.inputs[1]);
  const int64_t size = x.shape()[axis];
  const int64_t inner = x.shape().strides()[static_cast<size_t>(axis)];
  const int64_t outer = size * inner == 0 ? 0 : x.size() / (size * inner);
  dispatch_size(dtype_size(x.dtype()), [&]<class U>() {
    const U* from = static_cast<const U*>(x.data());
    U* to = static_cast<U*>(args.outputs[0].mutable_data());
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t index : indices) {
        const int64_t row = o * size + std::clamp<int64_t>(index, 0, size - 1);
        to = std::copy_n(from + row * inner, inner, to);
      }
    }
  });
}

Tensors vjp_gather(const ir::VjpArgs& args) {
  const Tensor& x = args.inputs[0];
  const int64_t axis = args.attrs.integer("axis");
  const int64_t last = std::max<int64_t>(x.dim(static_cast<int>(axis)) - 1, 0);
  const Tensor indices = minimum(maximum(args.inputs[1], 0), Tensor(last));
  return {scatter(zeros_like(x), indices, args.grads[0], ScatterMode::add, axis), {}};
}

std::vector<TensorSpec> infer_gather_nd(const ir::InferArgs& args) {
  const TensorSpec& x = args.inputs[0];
  require_integers("gather_nd", args.inputs[1].dtype);
  Shape shape = taken_nd_shape("gather_nd", x.shape, args.inputs[1].shape);
  if (x.shape.num_elements() == 0 && shape.num_elements() != 0) {
    throw ValueError(
        "ops::gather_nd: cannot take from an array of shape {}, which has no elements.", x.shape);
  }
  return {{x.dtype, std::move(shape)}};
}

void reference_gather_nd(const ir::ReferenceArgs& args) {
  const Tensor& x = args.inputs[0];
  const Tensor& out = args.outputs[0];
  if (out.size() == 0) return;
  const std::vector<int64_t> indices = to_int64s(args.inputs[1]);
  const auto depth = static_cast<size_t>(args.inputs[1].shape().back());
  const std::vector<int64_t> strides = x.shape().strides();
  const int64_t block = depth == 0 ? x.size() : strides[depth - 1];
  const int64_t count = out.size() / block;
  dispatch_size(dtype_size(x.dtype()), [&]<class U>() {
    const U* from = static_cast<const U*>(x.data());
    U* to = static_cast<U*>(out.mutable_data());
    for (int64_t i = 0; i < count; ++i) {
      int64_t position = 0;
      for (size_t d = 0; d < depth; ++d) {
        const int64_t index = indices[static_cast<size_t>(i) * depth + d];
        position += std::clamp<int64_t>(index, 0, x.shape().dims()[d] - 1) * strides[d];
      }
      to = std::copy_n(from + position, block, to);
    }
  });
}

Tensors vjp_gather_nd(const ir::VjpArgs& args) {
  const Tensor& x = args.inputs[0];
  Tensor indices = args.inputs[1];
  if (indices.shape().back() != 0) {
    const Tensor last = subtract(coordinate_limits(indices, x.shape()), 1);
    indices = minimum(maximum(indices, 0), last);
  }
  return {scatter_nd(zeros_like(x), indices, args.grads[0], ScatterMode::add), {}};
}

}  // namespace

const ir::OpDef kGather = {
    .name = "gather", .infer = infer_gather, .vjp = vjp_gather, .reference = reference_gather};
const ir::OpDef kGatherNd = {.name = "gather_nd",
                             .infer = infer_gather_nd,
                             .vjp = vjp_gather_nd,
                             .reference = reference_gather_nd};

Tensor take(const Tensor& x, const Tensor& indices, std::optional<int64_t> axis) {
  require_defined("take", x);
  require_defined("take", indices);
  require_integers("take", indices.dtype());
  if (!axis && x.rank() != 1) return take(ravel(x), indices, 0);
  const int64_t a = normalize_axis_of("take", axis.value_or(0), x.rank());
  return ir::emit_one(kGather, {x, wrap_negative(indices, x.dim(static_cast<int>(a)))},
                      {{"axis", a}});
}

Tensor take_along_axis(const Tensor& x, const Tensor& indices, std::optional<int64_t> axis) {
  require_defined("take_along_axis", x);
  require_defined("take_along_axis", indices);
  require_integers("take_along_axis", indices.dtype());
  if (!axis) return take_along_axis(ravel(x), ravel(indices), 0);
  const int a = normalize_axis_of("take_along_axis", *axis, x.rank());
  if (indices.rank() != x.rank()) {
    throw ValueError(
        "ops::take_along_axis: x and indices must have the same number of dimensions. Received: "
        "x.shape={}, indices.shape={}",
        x.shape(), indices.shape());
  }
  Shape others = x.shape();
  Shape others_of_indices = indices.shape();
  others[a] = others_of_indices[a] = 1;
  Shape shape = broadcast_shape("take_along_axis", others, others_of_indices);
  shape[a] = indices.shape()[a];
  Shape shape_of_x = shape;
  shape_of_x[a] = x.shape()[a];
  if (!(shape == indices.shape() && shape_of_x == x.shape()))
    return take_along_axis(broadcast_to(x, shape_of_x), broadcast_to(indices, shape), a);
  // In flattened x [outer, n, inner], element (o, i, k) is at (o * n + i) * inner + k.
  const int64_t n = x.shape()[a];
  const int64_t inner = x.shape().strides()[static_cast<size_t>(a)];
  int64_t outer = 1;
  for (int i = 0; i < a; ++i) outer *= x.shape()[i];
  const DType dtype = x.size() > INT32_MAX ? DType::int64 : DType::int32;
  const Shape flat{outer, indices.shape()[a], inner};
  const Tensor index = cast(reshape(indices, flat), dtype);
  const Tensor inside =
      minimum(maximum(wrap_negative(index, n), 0), Tensor(std::max<int64_t>(n - 1, 0)));
  const Tensor row = add(multiply(iota(flat, 0, dtype), Tensor(n)), inside);
  const Tensor position = add(multiply(row, Tensor(inner)), iota(flat, 2, dtype));
  return take(reshape(x, Shape{x.size()}), reshape(position, indices.shape()), 0);
}

Tensor gather_nd(const Tensor& x, const Tensor& indices) {
  require_defined("gather_nd", x);
  require_defined("gather_nd", indices);
  require_integers("gather_nd", indices.dtype());
  taken_nd_shape("gather_nd", x.shape(), indices.shape());
  return ir::emit_one(kGatherNd, {x, wrap_negative_nd(indices, x.shape())});
}

}  // namespace antler::ops
