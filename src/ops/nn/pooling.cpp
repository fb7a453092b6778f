#include <algorithm>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/convolution.h"
#include "antler/ops/nn/pooling.h"
#include "antler/ops/numpy/elementwise.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

/// Expands one number to all spatial dimensions.
std::vector<int64_t> spatial(const char* op, const char* what, std::vector<int64_t> values,
                             int64_t count) {
  if (values.size() == 1) values.assign(static_cast<size_t>(count), values[0]);
  if (static_cast<int64_t>(values.size()) != count ||
      std::any_of(values.begin(), values.end(), [](int64_t v) { return v < 1; })) {
    throw ValueError("ops::{}: `{}` must have {} positive integers. Received: {}={}", op, what,
                     count, what, Shape(values));
  }
  return values;
}

WindowDims windows_of(const char* op, const Tensor& x, std::vector<int64_t> pool_size,
                      std::vector<int64_t> strides, const std::string& padding) {
  require_defined(op, x);
  if (x.rank() < 3) {
    throw ValueError(
        "ops::{}: `x` must have shape [batch, spatial..., channels]. Received: x.shape={}", op,
        x.shape());
  }
  if (padding != "same" && padding != "valid") {
    throw ValueError("ops::{}: Invalid padding '{}', must be 'same' or 'valid'.", op, padding);
  }
  const int64_t count = x.rank() - 2;
  pool_size = spatial(op, "pool_size", std::move(pool_size), count);
  strides = strides.empty() ? pool_size : spatial(op, "strides", std::move(strides), count);
  WindowDims dims;
  dims.window.assign(static_cast<size_t>(x.rank()), 1);
  dims.strides = dims.dilations = dims.window;
  dims.pad_low.assign(dims.window.size(), 0);
  dims.pad_high = dims.pad_low;
  for (size_t i = 0; i < pool_size.size(); ++i) {
    dims.window[i + 1] = pool_size[i];
    dims.strides[i + 1] = strides[i];
    if (padding == "same") {
      const Padding p = same_padding(x.shape().dims()[i + 1], pool_size[i], strides[i]);
      dims.pad_low[i + 1] = p.low;
      dims.pad_high[i + 1] = p.high;
    }
  }
  return dims;
}

/// Number of elements of x in each window: a constant [1, out spatial..., 1].
Tensor window_counts(const Shape& x, const Shape& out, const WindowDims& dims, DType dtype) {
  std::vector<double> counts = {1};
  Shape shape{1};
  for (int d = 1; d + 1 < x.rank(); ++d) {
    const auto i = static_cast<size_t>(d);
    std::vector<double> next;
    for (double outer : counts) {
      for (int64_t o = 0; o < out[d]; ++o) {
        const int64_t first = o * dims.strides[i] - dims.pad_low[i];
        const int64_t last = std::min(first + dims.window[i], x[d]);
        next.push_back(outer * static_cast<double>(last - std::max<int64_t>(first, 0)));
      }
    }
    counts = std::move(next);
    shape.push_back(out[d]);
  }
  shape.push_back(1);
  return cast(Tensor::of(counts, shape), dtype);
}

}  // namespace

Tensor max_pool(const Tensor& x, std::vector<int64_t> pool_size, const PoolOptions& o) {
  return reduce_window(x, WindowOp::max,
                       windows_of("max_pool", x, std::move(pool_size), o.strides, o.padding));
}

Tensor average_pool(const Tensor& x, std::vector<int64_t> pool_size, const PoolOptions& o) {
  const Tensor f = to_float("average_pool", x);
  const WindowDims dims = windows_of("average_pool", f, std::move(pool_size), o.strides, o.padding);
  const Tensor total = reduce_window(f, WindowOp::sum, dims);
  const auto is_zero = [](int64_t n) { return n == 0; };
  if (std::all_of(dims.pad_low.begin(), dims.pad_low.end(), is_zero) &&
      std::all_of(dims.pad_high.begin(), dims.pad_high.end(), is_zero)) {
    const int64_t count = std::accumulate(dims.window.begin(), dims.window.end(), int64_t{1},
                                          std::multiplies<int64_t>());
    return divide(total, static_cast<double>(count));
  }
  return divide(total, window_counts(f.shape(), total.shape(), dims, f.dtype()));
}

}  // namespace antler::ops
