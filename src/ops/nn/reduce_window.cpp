#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/core/dispatch.h"
#include "antler/ir/emit.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/pooling.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/families.h"
#include "ops/nn/windows.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

constexpr const char* kOpNames[] = {"sum", "max", "min", "prod"};

std::vector<TensorSpec> infer_reduce_window(const ir::InferArgs& args) {
  const TensorSpec& x = args.inputs[0];
  parse_window_op("reduce_window", args.attrs.string("op"));
  if (x.dtype == DType::boolean) {
    throw TypeError("ops::reduce_window: x must be numeric. Received: {}", spec_str(x));
  }
  return {{x.dtype, window_output_shape("reduce_window", x.shape, args.attrs)}};
}

template <class T>
T identity(WindowOp op) {
  using Limits = std::numeric_limits<T>;
  switch (op) {
    case WindowOp::sum:
      return T(0);
    case WindowOp::prod:
      return T(1);
    case WindowOp::max:
      return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    case WindowOp::min:
      break;
  }
  return Limits::has_infinity ? Limits::infinity() : Limits::max();
}

template <class T>
T combine(WindowOp op, T a, T b) {
  switch (op) {
    case WindowOp::sum:
      return static_cast<T>(a + b);
    case WindowOp::prod:
      return static_cast<T>(a * b);
    case WindowOp::max:
      return b > a || b != b ? b : a;  // propagates NaN
    case WindowOp::min:
      break;
  }
  return b < a || b != b ? b : a;
}

void reference_reduce_window(const ir::ReferenceArgs& args) {
  const WindowOp op = parse_window_op("reduce_window", args.attrs.string("op"));
  const Tensor& x = args.inputs[0];
  const Tensor& out = args.outputs[0];
  dispatch(x.dtype(), [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      using C = std::conditional_t<std::is_integral_v<T>, T, double>;
      const T* from = x.data<T>();
      std::vector<C> result(static_cast<size_t>(out.size()), identity<C>(op));
      for_each_window_element(x.shape(), out.shape(), args.attrs, [&](int64_t o, int64_t i, bool) {
        C& r = result[static_cast<size_t>(o)];
        r = combine(op, r, static_cast<C>(from[i]));
      });
      T* to = out.mutable_data<T>();
      for (size_t i = 0; i < result.size(); ++i) {
        to[i] = static_cast<T>(static_cast<ComputeType<T>>(result[i]));
      }
    }
  });
}

/// spread_over_windows() for disjoint windows: each element gets the dy of its only window.
Tensor spread_over_disjoint_windows(const Tensor& dy, const Shape& x, const ir::Attrs& attrs) {
  Shape apart;
  Shape filled;
  Shape covered;
  std::vector<int64_t> rest;
  for (int d = 0; d < x.rank(); ++d) {
    const int64_t window = attrs.ints("window")[static_cast<size_t>(d)];
    for (Shape* shape : {&apart, &filled}) shape->push_back(dy.shape()[d]);
    apart.push_back(1);
    filled.push_back(window);
    covered.push_back(dy.shape()[d] * window);
    rest.push_back(x[d] - covered[d]);
  }
  const Tensor spread = reshape(broadcast_to(reshape(dy, apart), filled), covered);
  return covered == x ? spread : pad(spread, std::vector<int64_t>(rest.size(), 0), rest);
}

/// Each element gets the sum of dy over the windows that contain it. This is itself a window sum,
/// over dy with `strides` - 1 zeros between its elements.
Tensor spread_over_windows(const Tensor& dy, const Shape& x, const ir::Attrs& attrs) {
  if (dy.size() == 0) return zeros(x, dy.dtype());
  WindowDims dims;
  std::vector<int64_t> low;
  std::vector<int64_t> high;
  std::vector<int64_t> holes;
  for (int d = 0; d < x.rank(); ++d) {
    const auto i = static_cast<size_t>(d);
    const int64_t stride = attrs.ints("strides")[i];
    const int64_t reach = (attrs.ints("window")[i] - 1) * attrs.ints("dilations")[i];
    const int64_t spread = (dy.shape()[d] - 1) * stride + 1;
    low.push_back(reach - attrs.ints("pad_low")[i]);
    high.push_back(x[d] + attrs.ints("pad_low")[i] - spread);
    holes.push_back(stride - 1);
  }
  dims.window = attrs.ints("window");
  dims.dilations = attrs.ints("dilations");
  return reduce_window(pad(dy, std::move(low), std::move(high), std::move(holes)), WindowOp::sum,
                       dims);
}

/// The gradient with respect to a factor is dy times the product of the factors before it and the
/// product of those after it (a quotient would fail at zeros). One strided slice per window
/// element.
Tensor spread_over_products(const Tensor& x, const Tensor& dy, const ir::Attrs& attrs) {
  const Tensor padded = pad(x, attrs.ints("pad_low"), attrs.ints("pad_high"), {}, 1);
  const Shape window(attrs.ints("window"));
  struct Slice {
    std::vector<int64_t> starts, limits;
  };
  std::vector<Slice> places;
  Tensors parts;
  for_each_index(window, [&](int64_t, const std::vector<int64_t>& k) {
    Slice s;
    for (size_t d = 0; d < k.size(); ++d) {
      s.starts.push_back(k[d] * attrs.ints("dilations")[d]);
      const int64_t steps = std::max<int64_t>(dy.shape().dims()[d] - 1, 0);
      s.limits.push_back(s.starts.back() + steps * attrs.ints("strides")[d] + 1);
    }
    parts.push_back(strided_slice(padded, s.starts, s.limits, attrs.ints("strides")));
    places.push_back(std::move(s));
  });
  Tensors after(parts.size());
  Tensor product = ones_like(dy);
  for (size_t i = parts.size(); i-- > 0;) {
    after[i] = product;
    product = multiply(product, parts[i]);
  }
  Tensor total = zeros_like(padded);
  Tensor before = ones_like(dy);
  for (size_t i = 0; i < parts.size(); ++i) {
    const Tensor grad = multiply(dy, multiply(before, after[i]));
    std::vector<int64_t> high;
    std::vector<int64_t> holes;
    for (size_t d = 0; d < places[i].limits.size(); ++d) {
      high.push_back(padded.shape().dims()[d] - places[i].limits[d]);
      holes.push_back(attrs.ints("strides")[d] - 1);
    }
    total = add(total, pad(grad, places[i].starts, std::move(high), std::move(holes)));
    before = multiply(before, parts[i]);
  }
  std::vector<int64_t> low;
  std::vector<int64_t> high;
  for (size_t d = 0; d < attrs.ints("pad_low").size(); ++d) {
    low.push_back(-attrs.ints("pad_low")[d]);
    high.push_back(-attrs.ints("pad_high")[d]);
  }
  return pad(total, std::move(low), std::move(high));
}

Tensors vjp_reduce_window(const ir::VjpArgs& args) {
  const Tensor& x = args.inputs[0];
  const Tensor& dy = args.grads[0];
  switch (parse_window_op("reduce_window", args.attrs.string("op"))) {
    case WindowOp::sum:
      if (windows_are_disjoint(args.attrs)) {
        return {spread_over_disjoint_windows(dy, x.shape(), args.attrs)};
      }
      return {spread_over_windows(dy, x.shape(), args.attrs)};
    case WindowOp::prod:
      if (dy.size() == 0) return {zeros_like(x)};
      return {spread_over_products(x, dy, args.attrs)};
    case WindowOp::max:
    case WindowOp::min:
      break;
  }
  return {select_and_scatter_add_with(x, dy, args.attrs)};
}

}  // namespace

bool windows_are_disjoint(const ir::Attrs& attrs) {
  const auto all = [&](const char* name, int64_t value) {
    const auto& list = attrs.ints(name);
    return std::all_of(list.begin(), list.end(), [&](int64_t n) { return n == value; });
  };
  return attrs.ints("window") == attrs.ints("strides") && all("dilations", 1) &&
         all("pad_low", 0) && all("pad_high", 0);
}

const ir::OpDef kReduceWindow = {.name = "reduce_window",
                                 .infer = infer_reduce_window,
                                 .vjp = vjp_reduce_window,
                                 .reference = reference_reduce_window};

OpSpan window_ops() {
  static constexpr const ir::OpDef* kOps[] = {&kReduceWindow, &kSelectAndScatterAdd,
                                              &kSelectWindow};
  return kOps;
}

const char* window_op_name(WindowOp op) { return kOpNames[static_cast<size_t>(op)]; }

WindowOp parse_window_op(const char* op, const std::string& name) {
  for (size_t i = 0; i < std::size(kOpNames); ++i) {
    if (name == kOpNames[i]) return static_cast<WindowOp>(i);
  }
  throw ValueError("ops::{}: unknown window operation '{}'; expected sum, max, min or prod.", op,
                   name);
}

Shape window_output_shape(const char* op, const Shape& x, const ir::Attrs& attrs) {
  const auto rank = static_cast<size_t>(x.rank());
  const ir::Ints& window = attrs.ints("window");
  const ir::Ints& strides = attrs.ints("strides");
  const ir::Ints& dilations = attrs.ints("dilations");
  const ir::Ints& low = attrs.ints("pad_low");
  const ir::Ints& high = attrs.ints("pad_high");
  bool fits = window.size() == rank && strides.size() == rank && dilations.size() == rank &&
              low.size() == rank && high.size() == rank;
  Shape shape;
  for (size_t i = 0; fits && i < rank; ++i) {
    fits = window[i] > 0 && strides[i] > 0 && dilations[i] > 0 && low[i] >= 0 && high[i] >= 0;
    const int64_t room = x.dims()[i] + low[i] + high[i] - ((window[i] - 1) * dilations[i] + 1);
    shape.push_back(room < 0 ? 0 : room / std::max<int64_t>(strides[i], 1) + 1);
  }
  if (!fits) {
    throw ValueError(
        "ops::{}: the windows do not fit an array of shape {}; expected positive sizes, strides "
        "and dilations and padding >= 0 for every dimension. Received: {}",
        op, x, attrs.str());
  }
  return shape;
}

Tensor reduce_window(const Tensor& x, WindowOp op, const WindowDims& dims) {
  require_defined("reduce_window", x);
  const auto filled_up = [&](const std::vector<int64_t>& given, int64_t value) {
    return given.empty() ? ir::Ints(static_cast<size_t>(x.rank()), value) : given;
  };
  return ir::emit_one(kReduceWindow, {x},
                      {{"op", std::string(window_op_name(op))},
                       {"window", dims.window},
                       {"strides", filled_up(dims.strides, 1)},
                       {"dilations", filled_up(dims.dilations, 1)},
                       {"pad_low", filled_up(dims.pad_low, 0)},
                       {"pad_high", filled_up(dims.pad_high, 0)}});
}

}  // namespace antler::ops
