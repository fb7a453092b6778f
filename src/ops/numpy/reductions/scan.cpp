#include <limits>

#include "antler/ir/emit.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/families.h"
#include "ops/numpy/elementwise/loops.h"
#include "ops/numpy/reductions/lanes.h"

/// Cumulative sums, products and extrema. Element k of a lane combines elements 0 .. k, or 0 .. k -
/// 1 if `exclusive`; `reverse` starts at the other end.
namespace antler::ops {
namespace {

/// Scans each lane. `start` is the identity; step(total, element) returns the next total.
template <class A, class T, class F>
void scan_lanes(const ReferenceArgs& args, A start, F step) {
  const Lanes lanes(args.inputs[0].shape(), args.attrs.integer("axis"));
  const bool reverse = args.attrs.flag("reverse");
  const bool exclusive = args.attrs.flag("exclusive");
  const T* x = args.inputs[0].data<T>();
  T* out = args.outputs[0].mutable_data<T>();
  lanes.for_each([&](int64_t first) {
    A total = start;
    for (int64_t k = 0; k < lanes.length; ++k) {
      const int64_t at = first + (reverse ? lanes.length - 1 - k : k) * lanes.inner;
      const A before = total;
      total = step(total, static_cast<A>(static_cast<ComputeType<T>>(x[at])));
      out[at] = static_cast<T>(static_cast<ComputeType<T>>(exclusive ? before : total));
    }
  });
}

/// Floats accumulate in double, integers wrap around.
template <class F>
void scan_numbers(const ReferenceArgs& args, int identity, F step) {
  dispatch_kinds<kNumbers>(args.inputs[0].dtype(), [&]<class T>() {
    using A = std::conditional_t<kind_of<T>() == kFloats, double, uint64_t>;
    scan_lanes<A, T>(args, static_cast<A>(identity), step);
  });
}

template <bool largest>
void running_extremum(const ReferenceArgs& args) {
  dispatch_kinds<kNumbers>(args.inputs[0].dtype(), [&]<class T>() {
    using C = ComputeType<T>;
    using Limits = std::numeric_limits<C>;
    C start = largest ? Limits::lowest() : Limits::max();
    if constexpr (Limits::has_infinity) start = largest ? -Limits::infinity() : Limits::infinity();
    scan_lanes<C, T>(args, start, [](C best, C x) {
      const bool keep = largest ? best >= x : best <= x;
      return keep || best != best ? best : x;
    });
  });
}

ir::Attrs scan_attrs(int64_t axis, CumulativeOptions options) {
  return {{"axis", axis}, {"reverse", options.reverse}, {"exclusive", options.exclusive}};
}

/// Shifts the axis by `distance` towards the front and pads with zeros at the end.
Tensor shifted(const Tensor& x, int64_t axis, int64_t distance) {
  std::vector<int64_t> low(static_cast<size_t>(x.rank()), 0);
  std::vector<int64_t> high = low;
  low[static_cast<size_t>(axis)] = -distance;
  high[static_cast<size_t>(axis)] = distance;
  return pad(x, low, high);
}

/// Solves r[k] = b[k] + a[k] r[k + 1] in log2(n) steps. Each step composes the affine map at k with
/// the one at k + distance.
Tensor recurrence_from_end(Tensor a, Tensor b, int64_t axis) {
  const int64_t n = b.dim(static_cast<int>(axis));
  for (int64_t distance = 1; distance < n; distance *= 2) {
    b = add(b, multiply(a, shifted(b, axis, distance)));
    if (2 * distance < n) a = multiply(a, shifted(a, axis, distance));
  }
  return b;
}

constinit const OpDef kCumsum = {
    .name = "cumsum",
    .infer = infer_alike<"cumsum", kNumbers, 1>,
    .vjp = [](const VjpArgs& v) -> Tensors {
      return {
          cumsum(v.grads[0], v.attrs.integer("axis"),
                 {.reverse = !v.attrs.flag("reverse"), .exclusive = v.attrs.flag("exclusive")})};
    },
    .reference =
        [](const ReferenceArgs& args) {
          scan_numbers(args, 0, [](auto t, auto x) { return t + x; });
        },
};

/// With p[j] = x[0] ... x[j-1], the gradient of element j is p[j] (g[j] + x[j+1] (g[j+1] + x[j+2]
/// (...))). There are no divisions, so zeros are not a special case, not even in second
/// derivatives.
Tensors cumprod_vjp(const VjpArgs& v) {
  const int64_t axis = v.attrs.integer("axis");
  const bool backwards = v.attrs.flag("reverse");
  const auto flipped = [&](const Tensor& t) { return backwards ? reverse(t, {axis}) : t; };
  if (v.inputs[0].size() == 0) return {v.grads[0]};
  const Tensor x = flipped(v.inputs[0]);
  const Tensor g = flipped(v.grads[0]);
  const Tensor rest = v.attrs.flag("exclusive") ? shifted(recurrence_from_end(x, g, axis), axis, 1)
                                                : recurrence_from_end(shifted(x, axis, 1), g, axis);
  return {flipped(multiply(cumprod(x, axis, {.exclusive = true}), rest))};
}

constinit const OpDef kCumprod = {
    .name = "cumprod",
    .infer = infer_alike<"cumprod", kNumbers, 1>,
    .vjp = cumprod_vjp,
    .reference =
        [](const ReferenceArgs& args) {
          scan_numbers(args, 1, [](auto t, auto x) { return t * x; });
        },
};

/// The gradient of each result goes to the first element with that extremum.
template <bool largest>
Tensors running_extremum_vjp(const VjpArgs& v);

constinit const OpDef kCummax = {
    .name = "cummax",
    .infer = infer_alike<"cummax", kNumbers, 1>,
    .vjp = running_extremum_vjp<true>,
    .reference = running_extremum<true>,
};

constinit const OpDef kCummin = {
    .name = "cummin",
    .infer = infer_alike<"cummin", kNumbers, 1>,
    .vjp = running_extremum_vjp<false>,
    .reference = running_extremum<false>,
};

template <bool largest>
Tensors running_extremum_vjp(const VjpArgs& v) {
  const int64_t axis = v.attrs.integer("axis");
  const bool backwards = v.attrs.flag("reverse");
  if (v.inputs[0].size() == 0) return {v.grads[0]};
  const auto to_lanes = [&](const Tensor& t) {
    const Tensor forwards = backwards ? reverse(t, {axis}) : t;
    return moveaxis(forwards, axis, -1);
  };
  const Tensor x = to_lanes(stop_gradient(v.inputs[0]));
  const int64_t last = x.rank() - 1;
  Tensor g = to_lanes(v.grads[0]);
  if (v.attrs.flag("exclusive")) g = shifted(g, last, 1);
  const Tensor record =
      ir::emit_one(largest ? kCummax : kCummin, {x}, scan_attrs(last, {.exclusive = true}));
  const Tensor is_new = logical_not(largest ? less_equal(x, record) : greater_equal(x, record));
  const Tensor setter = cummax(where(is_new, iota(x.shape(), static_cast<int>(last)), 0), last);
  const Tensor dx = moveaxis(scatter_along_last(g, setter, x.dim(-1)), -1, axis);
  return {backwards ? reverse(dx, {axis}) : dx};
}

/// As in Keras, booleans become int32.
Tensor scan(const OpDef& op, const Tensor& x, int64_t axis, CumulativeOptions options) {
  require_defined(op.name, x);
  const int64_t a = normalize_axis_of(op.name, axis, x.rank());
  const DType dtype = x.dtype() == DType::boolean ? DType::int32 : x.dtype();
  return ir::emit_one(op, {to_dtype(x, dtype)}, scan_attrs(a, options));
}

}  // namespace

OpSpan scan_ops() {
  static constexpr const OpDef* kOps[] = {&kCumsum, &kCumprod, &kCummax, &kCummin};
  return kOps;
}

Tensor cumsum(const Tensor& x, std::optional<int64_t> axis, CumulativeOptions options) {
  if (!axis.has_value()) return scan(kCumsum, ravel(x), 0, options);
  return scan(kCumsum, x, *axis, options);
}
Tensor cumprod(const Tensor& x, std::optional<int64_t> axis, CumulativeOptions options) {
  if (!axis.has_value()) return scan(kCumprod, ravel(x), 0, options);
  return scan(kCumprod, x, *axis, options);
}
Tensor cummax(const Tensor& x, int64_t axis, CumulativeExtremumOptions options) {
  return scan(kCummax, x, axis, {.reverse = options.reverse});
}
Tensor cummin(const Tensor& x, int64_t axis, CumulativeExtremumOptions options) {
  return scan(kCummin, x, axis, {.reverse = options.reverse});
}

}  // namespace antler::ops
