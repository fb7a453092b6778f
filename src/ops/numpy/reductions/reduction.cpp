#include <limits>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/families.h"
#include "ops/numpy/elementwise/loops.h"

namespace antler::ops {
namespace {

const ir::Ints& axes_of(const ir::Attrs& attrs) { return attrs.ints("axes"); }

template <OpName name, Kinds kinds>
std::vector<TensorSpec> infer_reduce(const InferArgs& args) {
  require_operands(name.text, args, 1);
  const TensorSpec& x = args.inputs[0];
  require_kind(name.text, x.dtype, kinds);
  Shape shape;
  for (int64_t d : other_axes(axes_of(args.attrs), x.shape.rank()))
    shape.push_back(x.shape[static_cast<int>(d)]);
  return {{x.dtype, shape}};
}

/// Calls f(index in the operand, index in the result) for every element of the operand, in order.
template <class F>
void for_each_element(const Shape& shape, const ir::Ints& axes, F f) {
  const int rank = shape.rank();
  if (shape.num_elements() == 0) return;
  if (rank == 0) return f(int64_t{0}, int64_t{0});
  std::vector<int64_t> stride(static_cast<size_t>(rank), 0);  // in the result; 0 along reduced axes
  const ir::Ints kept = other_axes(axes, rank);
  int64_t size = 1;
  for (size_t k = kept.size(); k-- > 0;) {
    stride[static_cast<size_t>(kept[k])] = size;
    size *= shape[static_cast<int>(kept[k])];
  }
  std::vector<int64_t> at(static_cast<size_t>(rank), 0);
  const int64_t row = shape[rank - 1];
  const int64_t row_stride = stride.back();
  int64_t in = 0;
  int64_t out = 0;
  while (true) {
    for (int64_t k = 0; k < row; ++k) f(in + k, out + k * row_stride);
    in += row;
    int d = rank - 2;
    for (; d >= 0; --d) {
      const auto u = static_cast<size_t>(d);
      out += stride[u];
      if (++at[u] < shape[d]) break;
      out -= at[u] * stride[u];
      at[u] = 0;
    }
    if (d < 0) return;
  }
}

/// Floats accumulate in double, integers wrap around.
template <class T>
using Accumulator = std::conditional_t<kind_of<T>() == kFloats, double, uint64_t>;

template <class F>
void accumulate(const ReferenceArgs& args, int identity, F step) {
  dispatch_kinds<kNumbers>(args.inputs[0].dtype(), [&]<class T>() {
    using A = Accumulator<T>;
    const T* x = args.inputs[0].template data<T>();
    T* out = args.outputs[0].template mutable_data<T>();
    std::vector<A> total(static_cast<size_t>(args.outputs[0].size()), static_cast<A>(identity));
    for_each_element(args.inputs[0].shape(), axes_of(args.attrs), [&](int64_t i, int64_t o) {
      A& t = total[static_cast<size_t>(o)];
      t = step(t, static_cast<A>(static_cast<ComputeType<T>>(x[i])));
    });
    for (size_t o = 0; o < total.size(); ++o) {
      out[o] = static_cast<T>(static_cast<ComputeType<T>>(total[o]));
    }
  });
}

/// The identity element of max or min.
template <class T, bool largest>
ComputeType<T> extremum_identity() {
  using Limits = std::numeric_limits<ComputeType<T>>;
  if constexpr (Limits::has_infinity) return largest ? -Limits::infinity() : Limits::infinity();
  return largest ? Limits::lowest() : Limits::max();
}

template <bool largest>
void select_extremum(const ReferenceArgs& args) {
  dispatch(args.inputs[0].dtype(), [&]<class T>() {
    using C = ComputeType<T>;
    const T* x = args.inputs[0].template data<T>();
    T* out = args.outputs[0].template mutable_data<T>();
    std::fill(out, out + args.outputs[0].size(), static_cast<T>(extremum_identity<T, largest>()));
    for_each_element(args.inputs[0].shape(), axes_of(args.attrs), [&](int64_t i, int64_t o) {
      const C best = static_cast<C>(out[o]);
      const C candidate = static_cast<C>(x[i]);
      const bool better = largest ? candidate > best : candidate < best;
      if (better || candidate != candidate) out[o] = x[i];
    });
  });
}

/// Finds a `decisive` element; without one, the result is `!decisive`.
template <bool decisive>
void find_bool(const ReferenceArgs& args) {
  const bool* x = args.inputs[0].data<bool>();
  bool* out = args.outputs[0].mutable_data<bool>();
  std::fill(out, out + args.outputs[0].size(), !decisive);
  for_each_element(args.inputs[0].shape(), axes_of(args.attrs), [&](int64_t i, int64_t o) {
    if (x[i] == decisive) out[o] = decisive;
  });
}

/// Broadcasts `x`, shaped like the result, along the reduced axes.
Tensor spread(const Tensor& x, const VjpArgs& v) {
  const Shape& shape = v.inputs[0].shape();
  return broadcast_in_dim(x, shape, other_axes(axes_of(v.attrs), shape.rank()));
}

constinit const OpDef kReduceSum = {
    .name = "reduce_sum",
    .op_class = OpClass::reduce,
    .infer = infer_reduce<"reduce_sum", kNumbers>,
    .vjp = [](const VjpArgs& v) -> Tensors { return {spread(v.grads[0], v)}; },
    .reference =
        [](const ReferenceArgs& args) {
          accumulate(args, 0, [](auto t, auto x) { return t + x; });
        },
};

/// The product of all other elements: of those before and those after it, without a division.
Tensor product_of_others(const Tensor& x, const ir::Ints& axes) {
  ir::Ints order = other_axes(axes, x.rank());
  order.insert(order.end(), axes.begin(), axes.end());
  ir::Ints back(order.size());
  int64_t inner = 1;
  for (int64_t d : axes) inner *= x.shape()[static_cast<int>(d)];
  for (size_t k = 0; k < order.size(); ++k)
    back[static_cast<size_t>(order[k])] = static_cast<int64_t>(k);
  const Tensor moved = transpose(x, order);
  const Tensor rows = reshape(moved, {inner == 0 ? 0 : x.size() / inner, inner});
  const Tensor others = multiply(cumprod(rows, 1, {.exclusive = true}),
                                 cumprod(rows, 1, {.reverse = true, .exclusive = true}));
  return transpose(reshape(others, moved.shape()), back);
}

constinit const OpDef kReduceProd = {
    .name = "reduce_prod",
    .op_class = OpClass::reduce,
    .infer = infer_reduce<"reduce_prod", kNumbers>,
    .vjp = [](const VjpArgs& v) -> Tensors {
      if (v.inputs[0].size() == 0) return {spread(v.grads[0], v)};
      return {multiply(spread(v.grads[0], v), product_of_others(v.inputs[0], axes_of(v.attrs)))};
    },
    .reference =
        [](const ReferenceArgs& args) {
          accumulate(args, 1, [](auto t, auto x) { return t * x; });
        },
};

/// Ties share the gradient equally, as in JAX.
Tensors extremum_vjp(const VjpArgs& v) {
  const Tensor& x = v.inputs[0];
  const Tensor hits = cast(equal(x, spread(v.outputs[0], v)), x.dtype());
  const Tensor count = ir::emit_one(kReduceSum, {hits}, v.attrs);
  return {multiply(hits, spread(divide(v.grads[0], count), v))};
}

/// Propagates NaN. An empty reduction gives -infinity or the lowest integer.
constinit const OpDef kReduceMax = {
    .name = "reduce_max",
    .op_class = OpClass::reduce,
    .infer = infer_reduce<"reduce_max", kAnyDType>,
    .vjp = extremum_vjp,
    .reference = select_extremum<true>,
};

/// Propagates NaN. An empty reduction gives infinity or the largest integer.
constinit const OpDef kReduceMin = {
    .name = "reduce_min",
    .op_class = OpClass::reduce,
    .infer = infer_reduce<"reduce_min", kAnyDType>,
    .vjp = extremum_vjp,
    .reference = select_extremum<false>,
};

constinit const OpDef kReduceAny = {
    .name = "reduce_any",
    .op_class = OpClass::reduce,
    .infer = infer_reduce<"reduce_any", kBool>,
    .reference = find_bool<true>,
    .no_gradient = true,
};

constinit const OpDef kReduceAll = {
    .name = "reduce_all",
    .op_class = OpClass::reduce,
    .infer = infer_reduce<"reduce_all", kBool>,
    .reference = find_bool<false>,
    .no_gradient = true,
};

/// Reduces a strong tensor. `axes` may be negative or empty.
Tensor reduce(const OpDef& op, const char* function, const Tensor& x, const Axes& axes,
              ReduceOptions options) {
  const ir::Ints list = normalize_axes(function, axes, x.rank());
  if (list.empty()) return x;
  Tensor result = ir::emit_one(op, {x}, {{"axes", list}});
  if (!options.keepdims) return result;
  std::vector<int64_t> dims = x.shape().dims();
  for (int64_t d : list) dims[static_cast<size_t>(d)] = 1;
  return reshape(result, Shape(std::move(dims)));
}

/// Sums and products of narrow types are computed in 32 bits.
Tensor widened(const char* function, const Tensor& x) {
  require_defined(function, x);
  const DType d = x.dtype();
  if (d == DType::boolean || (is_signed_integer(d) && dtype_size(d) < 4))
    return to_dtype(x, DType::int32);
  if (is_unsigned_integer(d) && dtype_size(d) < 4) return to_dtype(x, DType::uint32);
  return to_dtype(x, d);
}

Tensor extremum(const OpDef& op, const char* function, const Tensor& x, const Axes& axes,
                ReduceOptions options) {
  require_defined(function, x);
  for (int64_t d : normalize_axes(function, axes, x.rank())) {
    if (x.shape()[static_cast<int>(d)] != 0) continue;
    throw ValueError("ops::{}: the reduced axes must not be empty. Received: x.shape={}, axis={}.",
                     function, x.shape(), d);
  }
  return reduce(op, function, to_dtype(x, x.dtype()), axes, options);
}

}  // namespace

OpSpan reduction_ops() {
  static constexpr const OpDef* kOps[] = {&kReduceSum, &kReduceProd, &kReduceMax,
                                          &kReduceMin, &kReduceAny,  &kReduceAll};
  return kOps;
}

Tensor sum(const Tensor& x, const Axes& axes, ReduceOptions options) {
  return reduce(kReduceSum, "sum", widened("sum", x), axes, options);
}
Tensor prod(const Tensor& x, const Axes& axes, ReduceOptions options) {
  return reduce(kReduceProd, "prod", widened("prod", x), axes, options);
}
Tensor max(const Tensor& x, const Axes& axes, ReduceOptions options) {
  return extremum(kReduceMax, "max", x, axes, options);
}
Tensor min(const Tensor& x, const Axes& axes, ReduceOptions options) {
  return extremum(kReduceMin, "min", x, axes, options);
}

Tensor any(const Tensor& x, const Axes& axes, ReduceOptions options) {
  require_defined("any", x);
  return reduce(kReduceAny, "any", to_dtype(x, DType::boolean), axes, options);
}
Tensor all(const Tensor& x, const Axes& axes, ReduceOptions options) {
  require_defined("all", x);
  return reduce(kReduceAll, "all", to_dtype(x, DType::boolean), axes, options);
}

}  // namespace antler::ops
