#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "antler/nn/by_position.h"
#include "antler/nn/layers/image_geometry.h"
#include "antler/ops/core.h"
#include "antler/ops/image.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/layers/classes.h"
#include "nn/layers/preprocessing/image_support.h"
#include "ops/image/resample.h"

/// Layers that change the size of images.
namespace antler {

template <class V>
void fields(V& v, ResizingOptions& o) {
  format_fields(v, o);
  v.required("height", o.height);
  v.required("width", o.width);
  v("interpolation", o.interpolation);
  v("crop_to_aspect_ratio", o.crop_to_aspect_ratio);
  v("pad_to_aspect_ratio", o.pad_to_aspect_ratio);
  v("fill_mode", o.fill_mode);
  v("fill_value", o.fill_value);
  v("antialias", o.antialias);
}

template <class V>
void fields(V& v, CenterCropOptions& o) {
  format_fields(v, o);
  v.required("height", o.height);
  v.required("width", o.width);
}

template <class V>
void fields(V& v, RandomCropOptions& o) {
  format_fields(v, o);
  v.required("height", o.height);
  v.required("width", o.width);
  v("seed", o.seed);
}

namespace {

template <class Options>
Options sized(Options o, const char* layer) {
  if (o.height <= 0 || o.width <= 0) {
    throw ValueError("{}: `height` and `width` must be positive. Received: height={}, width={}",
                     layer, o.height, o.width);
  }
  if (!o.data_format) o.data_format = "channels_last";
  return o;
}

/// Boxes in pixels, scaled by (x, y) and shifted by (left, top).
Tensor scaled(const Tensor& boxes, double x, double y, double left, double top) {
  const auto by = [](double a, double b) {
    const std::vector<float> values = {static_cast<float>(a), static_cast<float>(b),
                                       static_cast<float>(a), static_cast<float>(b)};
    return Tensor::of(values, {4});
  };
  return boxes * by(x, y) + by(left, top);
}

/// Offsets follow Keras's formulas, which round some of them to whole pixels.
Tensor resized_boxes(const Tensor& boxes, const Tensor& images, const ResizingOptions& o) {
  const auto height = static_cast<double>(images.dim(1));
  const auto width = static_cast<double>(images.dim(2));
  const double y = static_cast<double>(o.height) / height;
  const double x = static_cast<double>(o.width) / width;
  if (!o.pad_to_aspect_ratio && !o.crop_to_aspect_ratio) return scaled(boxes, x, y, 0, 0);
  const double scale = o.pad_to_aspect_ratio ? std::min(x, y) : std::max(x, y);
  const auto offset = [&](double target, double size) {
    return o.pad_to_aspect_ratio ? std::floor((target - size * scale) / 2)
                                 : -std::floor((size * scale - target) / 2);
  };
  return scaled(boxes, scale, scale, offset(static_cast<double>(o.width), width),
                offset(static_cast<double>(o.height), height));
}

}  // namespace

Resizing::Resizing(int64_t height, int64_t width, ResizingOptions options)
    : Resizing(by_position<&ResizingOptions::height, &ResizingOptions::width>(
          "Resizing", std::move(options), height, width)) {}

Resizing::Resizing(const ResizingOptions& options)
    : LayerOf(sized(options, "Resizing"), image_formats(options), When::always) {
  if (options.fill_mode != "constant") {
    throw ValueError(
        "Invalid value for argument `fill_mode`. Only `'constant'` is supported. Received: "
        "fill_mode={}",
        options.fill_mode);
  }
  if (options.crop_to_aspect_ratio && options.pad_to_aspect_ratio) {
    throw ValueError("Only one of `pad_to_aspect_ratio` & `crop_to_aspect_ratio` can be `True`.");
  }
}

Tensor Resizing::finish(const Tensor& images, DType given) const {
  if (is_floating(given)) return ImageLayer::finish(images, given);
  const Tensor whole = options_.interpolation == "nearest" ? images : ops::round(images);
  if (given == DType::uint8) return ops::cast(ops::clip(whole, 0.0, 255.0), DType::uint8);
  return ops::cast(whole, given);
}

ImageBatch Resizing::transform_all(ImageBatch batch) {
  const auto resized = [&](const Tensor& x, const std::string& interpolation) {
    return ops::resize(x, {options_.height, options_.width},
                       {.interpolation = interpolation,
                        .antialias = options_.antialias,
                        .crop_to_aspect_ratio = options_.crop_to_aspect_ratio,
                        .pad_to_aspect_ratio = options_.pad_to_aspect_ratio,
                        .fill_value = options_.fill_value});
  };
  const Tensor images = resized(batch.images, options_.interpolation);
  if (batch.masks.defined()) {
    const Tensor masks = resized(ops::cast(batch.masks, compute_dtype()), "nearest");
    batch.masks = ops::cast(masks, batch.masks.dtype());
  }
  if (batch.boxes.defined()) {
    // Boxes of zeros or of -1 are padding; they become zeros.
    const Tensor zero = ops::all(ops::equal(batch.boxes, 0.0), {-1}, {.keepdims = true});
    const Tensor padding =
        ops::logical_or(zero, ops::all(ops::equal(batch.boxes, -1.0), {-1}, {.keepdims = true}));
    const Tensor moved = resized_boxes(pixel_boxes(batch), batch.images, options_);
    batch.images = images;
    place_boxes(batch, ops::where(padding, 0.0, moved));
  }
  batch.images = images;
  return batch;
}

CenterCrop::CenterCrop(int64_t height, int64_t width, CenterCropOptions options)
    : CenterCrop(by_position<&CenterCropOptions::height, &CenterCropOptions::width>(
          "CenterCrop", std::move(options), height, width)) {}

CenterCrop::CenterCrop(const CenterCropOptions& options)
    : LayerOf(sized(options, "CenterCrop"), image_formats(options), When::always) {}

ImageBatch CenterCrop::transform_all(ImageBatch batch) {
  const int64_t spare_height = batch.images.dim(1) - options_.height;
  const int64_t spare_width = batch.images.dim(2) - options_.width;
  const bool fits = spare_height >= 0 && spare_width >= 0;
  const auto cropped = [&](const Tensor& x) {
    if (fits)
      return ops::cut_part(x, {spare_height / 2, spare_width / 2, options_.height, options_.width});
    return ops::resize(x, {options_.height, options_.width}, {.crop_to_aspect_ratio = true});
  };
  const Tensor images = cropped(batch.images);
  if (batch.masks.defined()) batch.masks = cropped(ops::cast(batch.masks, compute_dtype()));
  if (batch.boxes.defined()) {
    const Tensor boxes = pixel_boxes(batch);
    Tensor moved;
    if (fits) {
      moved = scaled(boxes, 1, 1, -static_cast<double>(spare_width / 2),
                     -static_cast<double>(spare_height / 2));
    } else {
      const ops::ImagePart part = ops::centered_part(batch.images, options_.height, options_.width);
      const double x = static_cast<double>(options_.width) / static_cast<double>(part.width);
      const double y = static_cast<double>(options_.height) / static_cast<double>(part.height);
      moved = scaled(boxes, x, y, -x * static_cast<double>(part.left),
                     -y * static_cast<double>(part.top));
    }
    batch.images = images;
    place_boxes(batch, moved);
  }
  batch.images = images;
  return batch;
}

RandomCrop::RandomCrop(int64_t height, int64_t width, RandomCropOptions options)
    : RandomCrop(by_position<&RandomCropOptions::height, &RandomCropOptions::width>(
          "RandomCrop", std::move(options), height, width)) {}

RandomCrop::RandomCrop(const RandomCropOptions& options)
    : LayerOf(sized(options, "RandomCrop"), image_formats(options)) {
  keep_integers();
  use_seed(options.seed);
}

ImageBatch RandomCrop::transform_all(ImageBatch batch) {
  const int64_t height = batch.images.dim(1);
  const int64_t width = batch.images.dim(2);
  const int64_t h = options_.height;
  const int64_t w = options_.width;
  std::function<Tensor(const Tensor&)> crop;
  Tensor moved;
  if (height > h && width > w) {
    const auto start = [&](int64_t room) {
      return ops::cast(uniform({}, 0, static_cast<double>(room + 1)), DType::int32);
    };
    const Tensor zero = Tensor::full(DType::int32, {}, 0.0);
    const Tensor top = start(height - h);
    const Tensor left = start(width - w);
    const Tensor starts = ops::stack({zero, top, left, zero});
    crop = [=](const Tensor& x) {
      return ops::dynamic_slice(x, starts, {x.dim(0), h, w, x.dim(3)});
    };
    if (batch.boxes.defined()) moved = pixel_boxes(batch) - ops::stack({left, top, left, top});
  } else {
    const ops::ImagePart part = ops::centered_part(batch.images, h, w);
    const int64_t part_height = std::min(h, height - part.top);
    const int64_t part_width = std::min(w, width - part.left);
    crop = [=](const Tensor& x) {
      return ops::resize(ops::cut_part(x, {part.top, part.left, part_height, part_width}), {h, w});
    };
    if (batch.boxes.defined()) {
      const double x = static_cast<double>(w) / static_cast<double>(part_width);
      const double y = static_cast<double>(h) / static_cast<double>(part_height);
      moved = scaled(pixel_boxes(batch), x, y, -x * static_cast<double>(part.left),
                     -y * static_cast<double>(part.top));
    }
  }
  batch.images = crop(batch.images);
  if (batch.masks.defined()) batch.masks = crop(ops::cast(batch.masks, compute_dtype()));
  if (batch.boxes.defined()) place_boxes(batch, moved);
  return batch;
}

LayerClasses image_crop_layers() { return layer_classes<Resizing, CenterCrop, RandomCrop>(); }

}  // namespace antler
