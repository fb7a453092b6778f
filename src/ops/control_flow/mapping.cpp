#include "antler/ops/control_flow.h"

#include <utility>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

std::vector<Tensor> each(const std::vector<Tensor>& xs,
                         const std::function<Tensor(const Tensor&)>& f) {
  std::vector<Tensor> ys;
  ys.reserve(xs.size());
  for (const Tensor& x : xs) ys.push_back(f(x));
  return ys;
}

/// Elements begin, begin + stride, ... before `end` along axis 0.
std::vector<Tensor> part(const std::vector<Tensor>& xs, int64_t begin, int64_t end,
                         int64_t stride = 1) {
  return each(xs, [&](const Tensor& x) { return slice_axis(x, 0, begin, end, stride); });
}

/// even[0], odd[0], even[1], ... `even` may have one element more than `odd`.
Tensor interleaved(const Tensor& even, const Tensor& odd) {
  const int64_t pairs = odd.dim(0);
  Shape shape = odd.shape();
  shape[0] = 2 * pairs;
  const Tensor both = reshape(stack({slice_axis(even, 0, 0, pairs), odd}, 1), shape);
  return even.dim(0) == pairs ? both
                              : concatenate({both, slice_axis(even, 0, pairs, pairs + 1)}, 0);
}

std::vector<Tensor> combined(const Combine& combine, const std::vector<Tensor>& a,
                             const std::vector<Tensor>& b) {
  std::vector<Tensor> result = combine(a, b);
  if (result.size() != a.size()) {
    throw ValueError(
        "ops::associative_scan: the function must return as many tensors as there are elements. "
        "Expected: {}. Received: {}",
        a.size(), result.size());
  }
  return result;
}

/// Prefixes along axis 0. Combining neighboring pairs first yields every second prefix; one more
/// combination yields the others.
std::vector<Tensor> scan_from_start(const Combine& combine, const std::vector<Tensor>& xs) {
  const int64_t n = xs[0].dim(0);
  if (n < 2) return xs;
  const int64_t even_end = n - n % 2;
  const std::vector<Tensor> odd =
      scan_from_start(combine, combined(combine, part(xs, 0, even_end, 2), part(xs, 1, n, 2)));
  const int64_t followers = (n - 1) / 2;  // even positions after the first
  std::vector<Tensor> even = part(xs, 0, 1);
  if (followers > 0) {
    const std::vector<Tensor> rest = combined(combine, part(odd, 0, followers), part(xs, 2, n, 2));
    for (size_t i = 0; i < even.size(); ++i) even[i] = concatenate({even[i], rest[i]}, 0);
  }
  std::vector<Tensor> result;
  for (size_t i = 0; i < even.size(); ++i) result.push_back(interleaved(even[i], odd[i]));
  return result;
}

}  // namespace

std::vector<Tensor> map(const TensorsFunction& f, const std::vector<Tensor>& xs) {
  const auto step = [&](const std::vector<Tensor>&, const std::vector<Tensor>& x) {
    return std::pair<std::vector<Tensor>, std::vector<Tensor>>({}, f(x));
  };
  return scan(step, {}, xs).ys;
}

Tensor map(const TensorFunction& f, const Tensor& x) {
  return map([&](const std::vector<Tensor>& xs) { return std::vector<Tensor>{f(xs[0])}; },
             std::vector<Tensor>{x})[0];
}

TensorsFunction vectorize(const TensorsFunction& f) {
  return [f](const std::vector<Tensor>& xs) {
    Shape shape;
    for (const Tensor& x : xs) {
      shape = broadcast_shape("vectorize", shape, known_shape("vectorize", x));
    }
    const std::vector<Tensor> rows =
        each(xs, [&](const Tensor& x) { return reshape(broadcast_to(x, shape), {-1}); });
    return each(map(f, rows), [&](const Tensor& y) {
      Shape whole = shape;
      for (int i = 1; i < y.rank(); ++i) whole.push_back(y.dim(i));
      return reshape(y, whole);
    });
  };
}

std::vector<Tensor> associative_scan(const Combine& combine, const std::vector<Tensor>& elements,
                                     AssociativeScanOptions options) {
  if (elements.empty()) return {};
  int64_t length = -1;
  std::vector<Tensor> xs;
  for (const Tensor& element : elements) {
    const Shape& shape = known_shape("associative_scan", element);
    const int along = normalize_axis_of("associative_scan", options.axis, shape.rank());
    if (length >= 0 && shape[along] != length) {
      throw ValueError(
          "ops::associative_scan: all elements must have the same length along the axis. Received: "
          "{} and {}",
          length, shape);
    }
    length = shape[along];
    const Tensor x = moveaxis(element, along, 0);
    xs.push_back(options.reverse ? reverse(x, {0}) : x);
  }
  return each(scan_from_start(combine, xs), [&](const Tensor& y) {
    return moveaxis(options.reverse ? reverse(y, {0}) : y, 0, options.axis);
  });
}

}  // namespace antler::ops
