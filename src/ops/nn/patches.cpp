
#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/convolution.h"
#include "antler/ops/nn/pooling.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/support.h"

/// Adaptive pooling, depth_to_space and patches.
namespace antler::ops {
namespace {

/// Maxima or means of `count` windows along one axis. Pooling is separable, so callers pool one
/// axis at a time.
Tensor pool_axis(const Tensor& x, int axis, int64_t count, bool average) {
  const int64_t size = x.shape()[axis];
  Tensors parts;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t start = i * size / count;
    const int64_t limit = ((i + 1) * size + count - 1) / count;
    const Tensor window = slice_axis(x, axis, start, limit);
    parts.push_back(average ? mean(window, {axis}, {.keepdims = true})
                            : max(window, {axis}, {.keepdims = true}));
  }
  return concatenate(parts, axis);
}

Tensor adaptive_pool(const char* function, const Tensor& x, const std::vector<int64_t>& output_size,
                     int first_axis, bool average) {
  require_defined(function, x);
  const int count = x.rank() - 2;
  if (count < 1 || (output_size.size() != 1 && std::ssize(output_size) != count)) {
    throw ValueError(
        "ops::{}: `output_size` must have one number per spatial dimension of `x`. Received: "
        "output_size={}, x.shape={}",
        function, Shape(output_size), x.shape());
  }
  Tensor y = x;
  for (int i = 0; i < count; ++i) {
    const int64_t size =
        output_size.size() == 1 ? output_size[0] : output_size[static_cast<size_t>(i)];
    y = pool_axis(y, first_axis + i, size, average);
  }
  return y;
}

const Shape& image_shape(const char* function, const Tensor& x, int rank) {
  const Shape& shape = known_shape(function, x);
  if (shape.rank() == rank) return shape;
  throw ValueError("ops::{}: expected {} dimensions. Received: x.shape={}", function, rank, shape);
}

/// Positions of the patches along one axis of `size`, padding included: [patches, kernel].
Tensor patch_places(const char* function, int64_t size, int64_t kernel, int64_t dilation,
                    int64_t stride) {
  const int64_t reach = (kernel - 1) * dilation + 1;
  if (kernel < 1 || dilation < 1 || stride < 1 || size < reach) {
    throw ValueError("ops::{}: a patch of size {} does not fit into {}.", function, kernel, size);
  }
  const Shape shape{(size - reach) / stride + 1, kernel};
  return add(multiply(iota(shape, 0), stride), multiply(iota(shape, 1), dilation));
}

}  // namespace

Tensor adaptive_max_pool(const Tensor& x, const std::vector<int64_t>& output_size, int first_axis) {
  return adaptive_pool("adaptive_max_pool", x, output_size, first_axis, false);
}
Tensor adaptive_average_pool(const Tensor& x, const std::vector<int64_t>& output_size,
                             int first_axis) {
  return adaptive_pool("adaptive_average_pool", x, output_size, first_axis, true);
}

Tensor depth_to_space(const Tensor& x, int64_t block_size) {
  const Shape& s = image_shape("depth_to_space", x, 4);
  const int64_t b = block_size;
  if (b < 1 || s[3] % (b * b) != 0) {
    throw ValueError(
        "ops::depth_to_space: the channels must be a multiple of block_size^2. Received: "
        "x.shape={}, block_size={}",
        s, b);
  }
  const int64_t c = s[3] / (b * b);
  const Tensor blocks = reshape(x, {s[0], s[1], s[2], b, b, c});
  return reshape(transpose(blocks, {0, 1, 3, 2, 4, 5}), {s[0], s[1] * b, s[2] * b, c});
}

Tensor space_to_depth(const Tensor& x, int64_t block_size) {
  const Shape& s = image_shape("space_to_depth", x, 4);
  const int64_t b = block_size;
  if (b < 1 || s[1] % b != 0 || s[2] % b != 0) {
    throw ValueError(
        "ops::space_to_depth: height and width must be multiples of block_size. Received: "
        "x.shape={}, block_size={}",
        s, b);
  }
  const Tensor blocks = reshape(x, {s[0], s[1] / b, b, s[2] / b, b, s[3]});
  return reshape(transpose(blocks, {0, 1, 3, 2, 4, 5}), {s[0], s[1] / b, s[2] / b, b * b * s[3]});
}

Tensor unfold(const Tensor& x, const PatchDims& dims) {
  const Shape& s = image_shape("unfold", x, 4);
  const auto [kh, kw] = dims.kernel_size;
  const auto [ph, pw] = dims.padding;
  const Tensor rows =
      patch_places("unfold", s[2] + 2 * ph, kh, dims.dilation.first, dims.stride.first);
  const Tensor columns =
      patch_places("unfold", s[3] + 2 * pw, kw, dims.dilation.second, dims.stride.second);
  const Tensor padded = pad(x, {0, 0, ph, pw}, {0, 0, ph, pw});
  // [n, c, rows, kernel height, columns, kernel width]
  const Tensor patches = take(take(padded, rows, 2), columns, -1);
  return reshape(transpose(patches, {0, 1, 3, 5, 2, 4}),
                 {s[0], s[1] * kh * kw, rows.dim(0) * columns.dim(0)});
}

Tensor fold(const Tensor& x, std::pair<int64_t, int64_t> output_size, const PatchDims& dims) {
  const Shape& s = image_shape("fold", x, 3);
  const auto [kh, kw] = dims.kernel_size;
  const auto [ph, pw] = dims.padding;
  const int64_t height = output_size.first + 2 * ph;
  const int64_t width = output_size.second + 2 * pw;
  const Tensor rows = patch_places("fold", height, kh, dims.dilation.first, dims.stride.first);
  const Tensor columns = patch_places("fold", width, kw, dims.dilation.second, dims.stride.second);
  const int64_t n = rows.dim(0);
  const int64_t m = columns.dim(0);
  if (s[1] % (kh * kw) != 0 || s[2] != n * m) {
    throw ValueError("ops::fold: expected [batch, channels * {}, {}]. Received: x.shape={}",
                     kh * kw, n * m, s);
  }
  const int64_t c = s[1] / (kh * kw);
  const Tensor patches = transpose(reshape(x, {s[0], c, kh, kw, n, m}), {0, 1, 4, 2, 5, 3});
  const Tensor by_columns =
      scatter(filled(0, x.dtype(), {s[0], c, n * kh, width}), ravel(columns),
              reshape(patches, {s[0], c, n * kh, m * kw}), ScatterMode::add, 3);
  const Tensor whole = scatter(filled(0, x.dtype(), {s[0], c, height, width}), ravel(rows),
                               by_columns, ScatterMode::add, 2);
  return strided_slice(whole, {0, 0, ph, pw}, {s[0], c, height - ph, width - pw});
}

}  // namespace antler::ops
