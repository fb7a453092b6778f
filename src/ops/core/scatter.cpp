#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/core/dispatch.h"
#include "antler/ir/emit.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/core/indexing.h"
#include "ops/movement_ops.h"
#include "ops/strided.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

constexpr const char* kModeNames[] = {"set", "add", "mul", "max", "min"};

ScatterMode parse_mode(const std::string& name) {
  for (size_t i = 0; i < std::size(kModeNames); ++i) {
    if (name == kModeNames[i]) return static_cast<ScatterMode>(i);
  }
  throw ValueError("ops::scatter: unknown mode '{}'; expected set, add, mul, max or min.", name);
}

template <class T>
T combine(ScatterMode mode, T old, T update) {
  using C = ComputeType<T>;
  const C a = static_cast<C>(old);
  const C b = static_cast<C>(update);
  switch (mode) {
    case ScatterMode::set:
      return update;
    case ScatterMode::add:
      return static_cast<T>(a + b);
    case ScatterMode::mul:
      return static_cast<T>(a * b);
    case ScatterMode::max:
      return a < b ? update : old;
    case ScatterMode::min:
      return b < a ? update : old;
  }
  return update;
}

/// Combines blocks of updates with a copy of x: block i of `updates` is combined with the `block`
/// elements at positions[i]. It is dropped if the position is negative.
void scatter_blocks(const ir::ReferenceArgs& args, const std::vector<int64_t>& positions,
                    int64_t block) {
  const ScatterMode mode = parse_mode(args.attrs.string("mode"));
  const Tensor& x = args.inputs[0];
  const Tensor& out = args.outputs[0];
  dispatch(x.dtype(), [&]<class T>() {
    T* to = out.mutable_data<T>();
    std::copy_n(x.data<T>(), x.size(), to);
    const T* update = args.inputs[2].data<T>();
    for (size_t i = 0; i < positions.size(); ++i, update += block) {
      if (positions[i] < 0) continue;
      T* target = to + positions[i];
      for (int64_t k = 0; k < block; ++k) target[k] = combine(mode, target[k], update[k]);
    }
  });
}

void check_updates(const char* op, const ir::InferArgs& args, const Shape& expected) {
  const TensorSpec& x = args.inputs[0];
  const TensorSpec& updates = args.inputs[2];
  parse_mode(args.attrs.string("mode"));
  require_integers(op, args.inputs[1].dtype);
  if (updates.dtype != x.dtype) {
    throw TypeError("ops::{}: x and updates must have the same dtype. Received: {} and {}", op,
                    spec_str(x), spec_str(updates));
  }
  if (!(updates.shape == expected)) {
    throw ValueError(
        "ops::{}: updates for x of shape {} and indices of shape {} must have shape {}. Received: "
        "updates.shape={}",
        op, x.shape, args.inputs[1].shape, expected, updates.shape);
  }
}

std::vector<TensorSpec> infer_scatter(const ir::InferArgs& args) {
  const TensorSpec& x = args.inputs[0];
  const int64_t axis = args.attrs.integer("axis");
  if (axis < 0 || axis >= x.shape.rank()) {
    throw ValueError("ops::scatter: axis {} is out of range for an array of shape {}.", axis,
                     x.shape);
  }
  check_updates("scatter", args, taken_shape(x.shape, args.inputs[1].shape, axis));
  return {x};
}

void reference_scatter(const ir::ReferenceArgs& args) {
  const Tensor& x = args.inputs[0];
  const auto axis = static_cast<int>(args.attrs.integer("axis"));
  const int64_t size = x.shape()[axis];
  const int64_t inner = x.shape().strides()[static_cast<size_t>(axis)];
  int64_t outer = 1;
  for (int i = 0; i < axis; ++i) outer *= x.shape()[i];
  const std::vector<int64_t> indices = to_int64s(args.inputs[1]);
  std::vector<int64_t> positions;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t index : indices) {
      const bool inside = index >= 0 && index < size;
      positions.push_back(inside ? (o * size + index) * inner : -1);
    }
  }
  scatter_blocks(args, positions, inner);
}

std::vector<TensorSpec> infer_scatter_nd(const ir::InferArgs& args) {
  const TensorSpec& x = args.inputs[0];
  check_updates("scatter_nd", args, taken_nd_shape("scatter_nd", x.shape, args.inputs[1].shape));
  return {x};
}

void reference_scatter_nd(const ir::ReferenceArgs& args) {
  const Tensor& x = args.inputs[0];
  const std::vector<int64_t> indices = to_int64s(args.inputs[1]);
  const auto depth = static_cast<size_t>(args.inputs[1].shape().back());
  const std::vector<int64_t> strides = x.shape().strides();
  const Shape& index_shape = args.inputs[1].shape();
  const int64_t count = Shape(index_shape.begin(), index_shape.end() - 1).num_elements();
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < count; ++i) {
    int64_t position = 0;
    for (size_t d = 0; d < depth && position >= 0; ++d) {
      const int64_t index = indices[static_cast<size_t>(i) * depth + d];
      const bool inside = index >= 0 && index < x.shape().dims()[d];
      position = inside ? position + index * strides[d] : -1;
    }
    positions.push_back(position);
  }
  scatter_blocks(args, positions, depth == 0 ? x.size() : strides[depth - 1]);
}

/// The operations that differ between the gradient rules of scatter and scatter_nd.
struct Addressing {
  /// Gathers from an array like x at the (clamped) indices.
  std::function<Tensor(const Tensor& x)> gather;
  /// Scatters into an array like x.
  std::function<Tensor(const Tensor& x, const Tensor& updates, ScatterMode mode)> scatter;
  /// Booleans in the shape of updates: whether the block was written, that is, not dropped and, if
  /// `last`, not overwritten by a later one.
  std::function<Tensor(bool last)> written;
};

/// The gradient of an update is dy times x and all other updates of the same element. It is correct
/// at zeros; its own gradient is not.
Tensors vjp_multiply(const Tensor& x, const Tensor& updates, const Tensor& dy,
                     const Addressing& at) {
  const Tensor ones = ones_like(x);
  const Tensor dx = multiply(dy, at.scatter(ones, updates, ScatterMode::mul));
  // Multiplies the nonzero updates and counts the zeros, so that nothing is divided by zero.
  const Tensor zero = equal(updates, 0);
  const Tensor nonzero = where(zero, ones_like(updates), updates);
  const Tensor product = at.gather(at.scatter(ones, nonzero, ScatterMode::mul));
  const Tensor zeros_total =
      at.gather(at.scatter(zeros_like(x), cast(zero, x.dtype()), ScatterMode::add));
  const Tensor zeros_of_others = subtract(zeros_total, cast(zero, x.dtype()));
  const Tensor others =
      where(equal(zeros_of_others, 0), divide(product, nonzero), zeros_like(updates));
  const Tensor dupdates = multiply(at.gather(multiply(dy, x)), others);
  return {dx, {}, where(at.written(false), dupdates, zeros_like(updates))};
}

/// Elements equal to the extremum share its gradient equally.
Tensors vjp_extremum(const Tensor& x, const Tensor& updates, const Tensor& y, const Tensor& dy,
                     const Addressing& at) {
  const Tensor from_x = cast(equal(x, y), x.dtype());
  const Tensor from_update =
      cast(logical_and(equal(updates, at.gather(y)), at.written(false)), x.dtype());
  const Tensor share = divide(dy, at.scatter(from_x, from_update, ScatterMode::add));
  // The count is never zero: each element equals x or an update.
  return {multiply(share, from_x), {}, multiply(at.gather(share), from_update)};
}

Tensors vjp_by_mode(const ir::VjpArgs& args, const Addressing& at) {
  const Tensor& updates = args.inputs[2];
  const Tensor& dy = args.grads[0];
  const ScatterMode mode = parse_mode(args.attrs.string("mode"));
  switch (mode) {
    case ScatterMode::set: {
      const Tensor none = zeros_like(updates);
      return {
          at.scatter(dy, none, ScatterMode::set), {}, where(at.written(true), at.gather(dy), none)};
    }
    case ScatterMode::add:
      return {dy, {}, where(at.written(false), at.gather(dy), zeros_like(updates))};
    case ScatterMode::mul:
      return vjp_multiply(args.inputs[0], updates, dy, at);
    case ScatterMode::max:
    case ScatterMode::min:
      break;
  }
  return vjp_extremum(args.inputs[0], updates, args.outputs[0], dy, at);
}

/// Broadcasts `mask`, one element per index, to the blocks of `updates`: dimension i of the mask is
/// dimension first + i of the updates.
Tensor spread(const Tensor& mask, const Shape& updates, int64_t first) {
  ir::Ints dims;
  for (int i = 0; i < mask.rank(); ++i) dims.push_back(first + i);
  return broadcast_in_dim(mask, updates, dims);
}

Tensor emit_scatter(const Tensor& x, const Tensor& indices, const Tensor& updates, ScatterMode mode,
                    int64_t axis) {
  return ir::emit_one(kScatter, {x, indices, updates},
                      {{"axis", axis}, {"mode", std::string(scatter_mode_name(mode))}});
}

Tensors vjp_scatter(const ir::VjpArgs& args) {
  const Tensor& x = args.inputs[0];
  const Tensor& indices = args.inputs[1];
  const int64_t axis = args.attrs.integer("axis");
  const int64_t size = x.dim(static_cast<int>(axis));
  Addressing at;
  at.scatter = [&](const Tensor& base, const Tensor& updates, ScatterMode mode) {
    return emit_scatter(base, indices, updates, mode, axis);
  };
  if (x.size() == 0) {  // nothing was written, and nothing can be gathered
    return {args.grads[0], {}, zeros_like(args.inputs[2])};
  }
  at.gather = [&](const Tensor& base) {
    return ir::emit_one(kGather, {base, indices}, {{"axis", axis}});
  };
  at.written = [&](bool last) {
    Tensor mask = logical_and(greater_equal(indices, 0), less(indices, Tensor(size)));
    if (last) {
      const Tensor order = reshape(iota(Shape{indices.size()}, 0), indices.shape());
      const Tensor winner =
          emit_scatter(full(Shape{size}, -1, DType::int32), indices, order, ScatterMode::max, 0);
      mask = logical_and(
          mask, equal(ir::emit_one(kGather, {winner, indices}, {{"axis", int64_t{0}}}), order));
    }
    return spread(mask, args.inputs[2].shape(), axis);
  };
  return vjp_by_mode(args, at);
}

Tensor emit_scatter_nd(const Tensor& x, const Tensor& indices, const Tensor& updates,
                       ScatterMode mode) {
  return ir::emit_one(kScatterNd, {x, indices, updates},
                      {{"mode", std::string(scatter_mode_name(mode))}});
}

Tensors vjp_scatter_nd(const ir::VjpArgs& args) {
  const Tensor& x = args.inputs[0];
  const Tensor& indices = args.inputs[1];
  const int64_t depth = indices.shape().back();
  const Shape places(indices.shape().begin(), indices.shape().end() - 1);
  Addressing at;
  at.scatter = [&](const Tensor& base, const Tensor& updates, ScatterMode mode) {
    return emit_scatter_nd(base, indices, updates, mode);
  };
  if (x.size() == 0) return {args.grads[0], {}, zeros_like(args.inputs[2])};
  at.gather = [&](const Tensor& base) { return ir::emit_one(kGatherNd, {base, indices}); };
  at.written = [&](bool last) {
    Tensor mask = depth == 0
                      ? ones(places, DType::boolean)
                      : all(logical_and(greater_equal(indices, 0),
                                        less(indices, coordinate_limits(indices, x.shape()))),
                            {-1});
    if (last) {
      const Shape grid(x.shape().begin(), x.shape().begin() + depth);
      const Tensor order = reshape(iota(Shape{places.num_elements()}, 0), places);
      const Tensor winner =
          emit_scatter_nd(full(grid, -1, DType::int32), indices, order, ScatterMode::max);
      mask = logical_and(mask, equal(ir::emit_one(kGatherNd, {winner, indices}), order));
    }
    return spread(mask, args.inputs[2].shape(), 0);
  };
  return vjp_by_mode(args, at);
}

}  // namespace

const ir::OpDef kScatter = {
    .name = "scatter", .infer = infer_scatter, .vjp = vjp_scatter, .reference = reference_scatter};
const ir::OpDef kScatterNd = {.name = "scatter_nd",
                              .infer = infer_scatter_nd,
                              .vjp = vjp_scatter_nd,
                              .reference = reference_scatter_nd};

const char* scatter_mode_name(ScatterMode mode) { return kModeNames[static_cast<size_t>(mode)]; }

Tensor scatter(const Tensor& x, const Tensor& indices, const Tensor& updates, ScatterMode mode,
               int64_t axis) {
  require_defined("scatter", x);
  require_defined("scatter", indices);
  require_defined("scatter", updates);
  require_integers("scatter", indices.dtype());
  const int a = normalize_axis_of("scatter", axis, x.rank());
  return emit_scatter(x, wrap_negative(indices, x.dim(a)), to_dtype(updates, x.dtype()), mode, a);
}

Tensor scatter_nd(const Tensor& x, const Tensor& indices, const Tensor& updates, ScatterMode mode) {
  require_defined("scatter_nd", x);
  require_defined("scatter_nd", indices);
  require_defined("scatter_nd", updates);
  require_integers("scatter_nd", indices.dtype());
  taken_nd_shape("scatter_nd", x.shape(), indices.shape());
  return emit_scatter_nd(x, wrap_negative_nd(indices, x.shape()), to_dtype(updates, x.dtype()),
                         mode);
}

}  // namespace antler::ops
