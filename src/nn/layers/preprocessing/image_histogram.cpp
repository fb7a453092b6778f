#include <string>
#include <utility>

#include "antler/nn/layers/image_color.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "base/ceil_div.h"
#include "nn/layers/classes.h"
#include "nn/layers/preprocessing/image_support.h"
#include "nn/list_field.h"

/// Layers that use the distribution of pixel values.
namespace antler {

template <class V>
void fields(V& v, AutoContrastOptions& o) {
  format_fields(v, o);
  list_field(v, "value_range", o.value_range);
}

template <class V>
void fields(V& v, EqualizationOptions& o) {
  format_fields(v, o);
  v("bins", o.bins);
  list_field(v, "value_range", o.value_range);
}

template <class V>
void fields(V& v, ContrastLimitedAdaptiveHistogramEqualizationOptions& o) {
  format_fields(v, o);
  list_field(v, "value_range", o.value_range);
  v("clip_limit", o.clip_limit);
  v("tile_grid_size", o.tile_grid_size);
}

namespace {

const std::vector<double> kByteRange = {0, 255};

template <class Options>
Options with_ranges(Options o) {
  o.value_range = checked_value_range(std::move(o.value_range));
  if (!o.data_format) o.data_format = "channels_last";
  return o;
}

}  // namespace

AutoContrast::AutoContrast(const AutoContrastOptions& options)
    : LayerOf(with_ranges(options), image_formats(options), When::always) {}

Tensor AutoContrast::transform(const Tensor& images) {
  const Tensor bytes = change_range(images, options_.value_range, kByteRange);
  const Tensor low = ops::min(bytes, {1, 2}, {.keepdims = true});
  const Tensor scale = 255.0 / (ops::max(bytes, {1, 2}, {.keepdims = true}) - low);
  const Tensor spread = ops::clip(bytes * scale + -low * scale, 0.0, 255.0);
  const Tensor result = change_range(spread, kByteRange, options_.value_range);
  // A constant channel is unchanged.
  return ops::where(ops::isnan(result), images, result);
}

Equalization::Equalization(const EqualizationOptions& options)
    : LayerOf(with_ranges(options), image_formats(options)) {}

namespace {

/// Counts of integers in [0, bins).
Tensor histogram_of(const Tensor& indices, int64_t bins) {
  const Tensor flat = ops::reshape(indices, Shape{-1});
  return ops::scatter(ops::zeros({bins}, DType::int32), flat, ops::ones(flat.shape(), DType::int32),
                      ops::ScatterMode::add);
}

Tensor equalized(const Tensor& channel, int64_t bins) {
  const auto last = static_cast<double>(bins - 1);
  const Tensor value = ops::cast(channel, DType::float32);
  const Tensor bin =
      ops::clip(ops::cast(value * last / 255.0, DType::int32), 0, static_cast<int>(bins - 1));
  const Tensor counts = histogram_of(bin, bins);
  const Tensor used = ops::sum(ops::cast(ops::greater(counts, 0), DType::int32));
  const Tensor sums = ops::cumsum(counts, 0);
  const Tensor total = ops::max(sums);
  const Tensor first = ops::min(ops::where(ops::greater(sums, 0), sums, total));
  const Tensor rest = ops::maximum(total - first, 1);
  const Tensor curve =
      ops::cast(ops::clip(ops::round(ops::cast((sums - first) * 255, DType::float64) /
                                     ops::cast(rest, DType::float64)),
                          0.0, 255.0),
                DType::float32);
  const Tensor at = ops::cast(ops::clip(value / 255.0 * last, 0.0, last), DType::int32);
  return ops::where(ops::less_equal(used, 1), value, ops::take(curve, at, 0));
}

}  // namespace

Tensor Equalization::transform(const Tensor& images) {
  const Tensor bytes = change_range(images, options_.value_range, kByteRange);
  Tensors channels;
  for (const Tensor& channel : ops::unstack(bytes, -1)) {
    channels.push_back(equalized(channel, options_.bins));
  }
  return change_range(ops::cast(ops::stack(channels, -1), images.dtype()), kByteRange,
                      options_.value_range);
}

using Clahe = ContrastLimitedAdaptiveHistogramEqualization;
using ClaheOptions = ContrastLimitedAdaptiveHistogramEqualizationOptions;

Clahe::ContrastLimitedAdaptiveHistogramEqualization(const ClaheOptions& options)
    : LayerBase("ContrastLimitedAdaptiveHistogramEqualization", base_options(options),
                image_formats(options), When::always),
      options_(with_ranges(options)) {
  if (options_.tile_grid_size.size() != 2 || options_.tile_grid_size[0] < 1 ||
      options_.tile_grid_size[1] < 1) {
    throw ValueError("`tile_grid_size` must be two positive numbers.");
  }
}

namespace {

/// Appends mirrored rows (or columns), so that all tiles are complete.
Tensor pad_symmetric(const Tensor& x, int64_t axis, int64_t count) {
  if (count == 0) return x;
  const int64_t size = x.dim(static_cast<int>(axis));
  const Tensor tail = ops::slice_axis(x, axis, std::max<int64_t>(size - count, 0), size);
  return pad_symmetric(ops::concatenate({x, ops::reverse(tail, {axis})}, axis), axis,
                       count - std::min(count, size));
}

/// The two tiles nearest to each pixel along an axis. The outermost tiles are repeated.
struct Neighbours {
  Tensor low;     ///< int32
  Tensor high;    ///< int32
  Tensor weight;  ///< of `high`
};

Neighbours neighbours_of(int64_t size, int64_t tile, int64_t grid) {
  const Tensor at = ops::arange(0, size, 1, {.dtype = DType::float32});
  const auto t = static_cast<double>(tile);
  const Tensor place = (at - t / 2.0) / t + 1.0;
  const Tensor low = ops::floor(place);
  const auto index = [&](const Tensor& x) {
    return ops::cast(ops::clip(x, 0.0, static_cast<double>(grid + 1)), DType::int32);
  };
  return {index(low), index(low + 1.0), place - low};
}

}  // namespace

Tensor Clahe::transform(const Tensor& images) {
  constexpr int64_t kBins = 256;
  const Tensor bytes = change_range(images, options_.value_range, kByteRange);
  const int64_t batch = images.dim(0);
  const int64_t height = images.dim(1);
  const int64_t width = images.dim(2);
  const int64_t channels = images.dim(3);
  const int64_t rows = options_.tile_grid_size[0];
  const int64_t columns = options_.tile_grid_size[1];
  const int64_t tile_h = ceil_div(height, rows);
  const int64_t tile_w = ceil_div(width, columns);
  Tensor padded = pad_symmetric(bytes, 1, tile_h * rows - height);
  padded = pad_symmetric(padded, 2, tile_w * columns - width);
  const Tensor pixels = ops::cast(ops::clip(padded, 0.0, 255.0), DType::int32);
  // Histograms [batch, rows, columns, channels, bins].
  const Tensor tiles =
      ops::transpose(ops::reshape(pixels, Shape{batch, rows, tile_h, columns, tile_w, channels}),
                     {0, 1, 3, 5, 2, 4});
  const int64_t count = batch * rows * columns * channels;
  const Tensor flat = ops::reshape(tiles, Shape{count, tile_h * tile_w});
  const Tensor cell = flat + ops::iota(flat.shape(), 0) * static_cast<int>(kBins);
  Tensor counts = ops::cast(ops::reshape(histogram_of(cell, count * kBins), Shape{count, kBins}),
                            DType::float32);
  const auto area = static_cast<double>(tile_h * tile_w);
  if (options_.clip_limit > 0) {
    const Tensor clipped = ops::clip(counts, 0.0, options_.clip_limit * area / 256.0);
    counts = clipped + ops::sum(counts - clipped, {-1}, {.keepdims = true}) / 256.0;
  }
  const Tensor sums = ops::cumsum(counts, 1);
  const Tensor least = ops::min(sums, {-1}, {.keepdims = true});
  Tensor rest = area - least;
  rest = ops::where(ops::equal(rest, 0.0), 1.0, rest);
  Tensor curves = ops::reshape(ops::clip((sums - least) * 255.0 / rest, 0.0, 255.0),
                               Shape{batch, rows, columns, channels * kBins});
  const auto repeat_ends = [](const Tensor& x, int64_t axis) {
    const int64_t size = x.dim(static_cast<int>(axis));
    return ops::concatenate(
        {ops::slice_axis(x, axis, 0, 1), x, ops::slice_axis(x, axis, size - 1, size)}, axis);
  };
  curves = ops::reshape(repeat_ends(repeat_ends(curves, 1), 2), Shape{-1});
  // Every pixel is between the centers of four tiles.
  const Neighbours y = neighbours_of(tile_h * rows, tile_h, rows);
  const Neighbours x = neighbours_of(tile_w * columns, tile_w, columns);
  const auto down = [](const Tensor& t) { return ops::reshape(t, Shape{1, -1, 1, 1}); };
  const auto across = [](const Tensor& t) { return ops::reshape(t, Shape{1, 1, -1, 1}); };
  const auto stride_x = static_cast<int>(channels * kBins);
  const auto stride_y = static_cast<int>(channels * kBins * (columns + 2));
  const auto stride_image = static_cast<int>(channels * kBins * (columns + 2) * (rows + 2));
  const Tensor base = ops::iota(pixels.shape(), 0) * stride_image +
                      ops::iota(pixels.shape(), 3) * static_cast<int>(kBins) + pixels;
  const auto value = [&](const Tensor& at_y, const Tensor& at_x) {
    return ops::take(curves, base + down(at_y) * stride_y + across(at_x) * stride_x, 0);
  };
  const auto mix = [](const Tensor& a, const Tensor& b, const Tensor& w) {
    return a * (1.0 - w) + b * w;
  };
  const Tensor top = mix(value(y.low, x.low), value(y.low, x.high), across(x.weight));
  const Tensor bottom = mix(value(y.high, x.low), value(y.high, x.high), across(x.weight));
  const Tensor result = mix(top, bottom, down(y.weight));
  const Tensor cut = ops::slice_axis(ops::slice_axis(result, 1, 0, height), 2, 0, width);
  return change_range(ops::cast(cut, images.dtype()), kByteRange, options_.value_range);
}

Json Clahe::get_config() const { return config_of(*this, options_); }

LayerClasses image_histogram_layers() {
  static constexpr LayerClass kClasses[] = {
      layer_class<AutoContrast>(),
      layer_class<Equalization>(),
      layer_class<ContrastLimitedAdaptiveHistogramEqualization, ClaheOptions>(),
  };
  return kClasses;
}

}  // namespace antler
