#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/fft.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/recorded_call.h"
#include "ops/support.h"

/// Joining, splitting, padding and reordering.
namespace antler::ops {
namespace {

/// NumPy's atleast_1d, atleast_2d and atleast_3d.
std::vector<Tensor> at_least(const char* function, int rank, const std::vector<Tensor>& xs) {
  std::vector<Tensor> result;
  for (const Tensor& x : xs) {
    require_defined(function, x);
    Tensor y = to_dtype(x, x.dtype());
    if (y.rank() == 0) y = expand_dims(y, 0);
    if (rank > 1 && y.rank() == 1) y = expand_dims(y, 0);
    if (rank > 2 && y.rank() == 2) y = expand_dims(y, 2);
    result.push_back(y);
  }
  return result;
}

std::vector<Tensor> parts_between(const char* function, const Tensor& x, std::vector<int64_t> ends,
                                  int64_t axis) {
  const Shape& shape = known_shape(function, x);
  const int a = normalize_axis_of(function, axis, shape.rank());
  const int64_t size = shape[a];
  ends.push_back(size);
  std::vector<Tensor> parts;
  int64_t start = 0;
  for (int64_t end : ends) {
    if (end < 0) end += size;
    end = std::clamp<int64_t>(end, 0, size);
    parts.push_back(slice_axis(x, a, std::min(start, end), end));
    start = end;
  }
  return parts;
}

int64_t horizontal_axis(const Tensor& x) {
  require_defined("hsplit", x);
  return x.rank() == 1 ? 0 : 1;
}

}  // namespace

Tensor append(const Tensor& x, const Tensor& y, std::optional<int64_t> axis) {
  if (axis) return concatenate({x, y}, *axis);
  return concatenate({ravel(x), ravel(y)}, 0);
}

Tensor hstack(const std::vector<Tensor>& xs) {
  const std::vector<Tensor> parts = at_least("hstack", 1, xs);
  return concatenate(parts, !parts.empty() && parts[0].rank() == 1 ? 0 : 1);
}
Tensor vstack(const std::vector<Tensor>& xs) { return concatenate(at_least("vstack", 2, xs), 0); }
Tensor dstack(const std::vector<Tensor>& xs) { return concatenate(at_least("dstack", 3, xs), 2); }

TensorParts split(const Tensor& x, const std::vector<int64_t>& indices, int64_t axis) {
  if (has_unknown_size(x))
    return record_call("Split", x, {{"indices_or_sections", indices}, {"axis", axis}});
  return parts_between("split", x, indices, axis);
}

TensorParts array_split(const Tensor& x, int64_t parts, int64_t axis) {
  if (parts < 1) {
    throw ValueError("ops::array_split: expected at least one part. Received: parts={}.", parts);
  }
  const Shape& shape = known_shape("array_split", x);
  const int64_t size = shape[normalize_axis_of("array_split", axis, shape.rank())];
  std::vector<int64_t> ends;
  for (int64_t i = 1; i < parts; ++i) {
    ends.push_back(i * (size / parts) + std::min(i, size % parts));
  }
  return parts_between("array_split", x, ends, axis);
}
TensorParts array_split(const Tensor& x, const std::vector<int64_t>& indices, int64_t axis) {
  return parts_between("array_split", x, indices, axis);
}

TensorParts hsplit(const Tensor& x, int64_t parts) { return split(x, parts, horizontal_axis(x)); }
TensorParts hsplit(const Tensor& x, const std::vector<int64_t>& indices) {
  return split(x, indices, horizontal_axis(x));
}
TensorParts vsplit(const Tensor& x, int64_t parts) { return split(x, parts, 0); }
TensorParts vsplit(const Tensor& x, const std::vector<int64_t>& indices) {
  return split(x, indices, 0);
}
TensorParts dsplit(const Tensor& x, int64_t parts) { return split(x, parts, 2); }
TensorParts dsplit(const Tensor& x, const std::vector<int64_t>& indices) {
  return split(x, indices, 2);
}

Tensor flip(const Tensor& x, const Axes& axes) {
  require_defined("flip", x);
  return reverse(x, normalize_axes("flip", axes, x.rank()));
}
Tensor fliplr(const Tensor& x) { return flip(x, {1}); }
Tensor flipud(const Tensor& x) { return flip(x, {0}); }

Tensor rot90(const Tensor& x, int64_t k, int64_t axis1, int64_t axis2) {
  require_defined("rot90", x);
  if (x.rank() < 2) {
    throw ValueError("ops::rot90: expected at least two dimensions. Received: x.shape={}.",
                     x.shape());
  }
  const int64_t a = normalize_axis_of("rot90", axis1, x.rank());
  const int64_t b = normalize_axis_of("rot90", axis2, x.rank());
  if (a == b) {
    throw ValueError("ops::rot90: the axes must differ. Received: axes=({}, {}).", axis1, axis2);
  }
  switch ((k % 4 + 4) % 4) {
    case 1:
      return swapaxes(flip(x, {b}), a, b);
    case 2:
      return flip(x, {a, b});
    case 3:
      return flip(swapaxes(x, a, b), {b});
    default:
      return x;
  }
}

Tensor ravel(const Tensor& x) { return reshape(x, {-1}); }

Tensor roll(const Tensor& x, int64_t shift) {
  require_defined("roll", x);
  if (has_unknown_size(x)) return record_call("Roll", x, {{"shift", shift}, {"axis", nullptr}})[0];
  return reshape(roll(ravel(x), shift, 0), x.shape());
}

Tensor diff(const Tensor& x, int64_t n, int64_t axis) {
  const Shape& shape = known_shape("diff", x);
  if (n < 0) {
    throw ValueError("ops::diff: `n` must not be negative. Received: n={}.", n);
  }
  const int a = normalize_axis_of("diff", axis, shape.rank());
  Tensor y = x;
  for (int64_t i = 0; i < n && y.dim(a) > 0; ++i) {
    const Tensor later = slice_axis(y, a, 1, y.dim(a));
    const Tensor earlier = slice_axis(y, a, 0, y.dim(a) - 1);
    y = y.dtype() == DType::boolean ? not_equal(later, earlier) : subtract(later, earlier);
  }
  return y;
}

Tensor extract_sequences(const Tensor& x, int64_t length, int64_t stride) {
  const Shape& shape = known_shape("extract_sequences", x);
  if (length < 1 || stride < 1 || shape.rank() == 0 || shape.back() < length) {
    throw ValueError(
        "ops::extract_sequences: expected 1 <= sequence_length <= size of the last axis, "
        "sequence_stride >= 1. Received: x.shape={}, sequence_length={}, sequence_stride={}.",
        shape, length, stride);
  }
  const int64_t count = 1 + (shape.back() - length) / stride;
  const Tensor starts = multiply(iota({count, length}, 0), stride);
  return take(x, add(starts, iota({count, length}, 1)), -1);
}

Tensor slice_update(const Tensor& x, const Tensor& start, const Tensor& updates) {
  return dynamic_update_slice(x, updates, start);
}
Tensor scatter(const Tensor& indices, const Tensor& values, const Shape& shape) {
  return scatter_nd(zeros(shape, values.dtype()), indices, values, ScatterMode::add);
}

Tensor scatter_update(const Tensor& x, const Tensor& indices, const Tensor& updates,
                      ScatterMode mode) {
  return scatter_nd(x, indices, updates, mode);
}

Tensor pad_mirrored(const Tensor& x, const std::vector<int64_t>& low,
                    const std::vector<int64_t>& high, const std::string& mode) {
  const Shape& shape = known_shape("pad_mirrored", x);
  const bool reflect = mode == "reflect";
  if (!reflect && mode != "symmetric") {
    throw ValueError(
        "ops::pad_mirrored: `mode` must be 'reflect' or 'symmetric'. Received: mode={}", mode);
  }
  const auto rank = static_cast<size_t>(shape.rank());
  if (low.size() != rank || high.size() != rank) {
    throw ValueError(
        "ops::pad_mirrored: expected one number for each end of each axis. Received: x.shape={}",
        shape);
  }
  Tensor y = x;
  for (size_t d = 0; d < rank; ++d) {
    if (low[d] == 0 && high[d] == 0) continue;
    const int64_t n = shape.dims()[d];
    if (low[d] < 0 || high[d] < 0 || n == 0) {
      throw ValueError(
          "ops::pad_mirrored: cannot add {} and {} elements to axis {}. Received: x.shape={}",
          low[d], high[d], d, shape);
    }
    const int64_t period = std::max<int64_t>(reflect ? 2 * (n - 1) : 2 * n, 1);
    std::vector<int32_t> from;
    for (int64_t i = -low[d]; i < n + high[d]; ++i) {
      const int64_t at = ((i % period) + period) % period;
      from.push_back(static_cast<int32_t>(at < n ? at : period - at - (reflect ? 0 : 1)));
    }
    y = take(y, Tensor::of(from), static_cast<int64_t>(d));
  }
  return y;
}

Tensor pad(const Tensor& x, const PadWidth& pad_width) {
  return pad_by_mode(x, pad_width, "constant");
}

Tensor pad_by_mode(const Tensor& x, const PadWidth& pad_width, const std::string& mode,
                   const Tensor& constant_values) {
  require_defined("pad", x);
  std::vector<std::pair<int64_t, int64_t>> axes = pad_width.axes;
  if (axes.size() == 1) axes.assign(static_cast<size_t>(x.rank()), pad_width.axes[0]);
  if (axes.size() != static_cast<size_t>(x.rank())) {
    throw ValueError(
        "ops::pad: `pad_width` must have one pair per axis. Received: x.shape={}, {} pairs.",
        x.shape(), axes.size());
  }
  std::vector<int64_t> low;
  std::vector<int64_t> high;
  for (const auto& [before, behind] : axes) {
    low.push_back(before);
    high.push_back(behind);
  }
  if (mode != "constant") return pad_mirrored(x, low, high, mode);
  return pad(x, low, high, {}, constant_values);
}

}  // namespace antler::ops
