#include "antler/nn/layers/image_geometry.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "antler/nn/by_position.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/layers/classes.h"
#include "nn/layers/preprocessing/image_support.h"

/// Layers that sample images through a projection, and layers that mirror images.
namespace antler {

template <class V>
void fields(V& v, RandomFlipOptions& o) {
  format_fields(v, o);
  v("seed", o.seed);
  v("mode", o.mode);
}

template <class V, class O>
void sampling_fields(V& v, O& o) {
  v("fill_mode", o.fill_mode);
  v("fill_value", o.fill_value);
  v("interpolation", o.interpolation);
  v("seed", o.seed);
}

template <class V>
void fields(V& v, RandomRotationOptions& o) {
  format_fields(v, o);
  v.required("factor", o.factor);
  sampling_fields(v, o);
}

template <class V>
void fields(V& v, RandomTranslationOptions& o) {
  format_fields(v, o);
  v.required("height_factor", o.height_factor);
  v.required("width_factor", o.width_factor);
  sampling_fields(v, o);
}

template <class V>
void fields(V& v, RandomZoomOptions& o) {
  format_fields(v, o);
  v.required("height_factor", o.height_factor);
  v("width_factor", o.width_factor);
  sampling_fields(v, o);
}

template <class V>
void fields(V& v, RandomShearOptions& o) {
  format_fields(v, o);
  v("x_factor", o.x_factor);
  v("y_factor", o.y_factor);
  sampling_fields(v, o);
}

template <class V>
void fields(V& v, RandomPerspectiveOptions& o) {
  format_fields(v, o);
  v("factor", o.factor);
  v("scale", o.scale);
  v("interpolation", o.interpolation);
  v("fill_value", o.fill_value);
  v("seed", o.seed);
}

namespace {

/// Throws NotImplementedError for unknown names. Keras checks the factors first.
template <class O>
void check_sampling(const O& o) {
  check_fill_mode(o.fill_mode);
  check_interpolation(o.interpolation);
}

template <class O>
ops::Sampling sampling_of(const O& o) {
  return {.interpolation = o.interpolation, .fill_mode = o.fill_mode, .fill_value = o.fill_value};
}

}  // namespace

RandomFlip::RandomFlip(const RandomFlipOptions& options)
    : LayerOf(options, image_formats(options)) {
  if (options.mode != "horizontal" && options.mode != "vertical" &&
      options.mode != "horizontal_and_vertical") {
    throw ValueError(
        "Unknown `mode` argument of RandomFlip. Expected one of 'horizontal', 'vertical', "
        "'horizontal_and_vertical'. Received: mode={}",
        options.mode);
  }
  if (!options_.data_format) options_.data_format = "channels_last";
  use_seed(options.seed);
}

ImageBatch RandomFlip::transform_all(ImageBatch batch) {
  // Keras draws once per image: it flips an image in both directions or not at all.
  const Tensor flips = ops::less_equal(uniform({batch.images.dim(0), 1, 1, 1}, 0, 1), 0.5);
  const bool across = options_.mode != "vertical";
  const bool down = options_.mode != "horizontal";
  const auto mirrored = [&](const Tensor& pixels) {
    std::vector<int64_t> axes;
    if (down) axes.push_back(1);
    if (across) axes.push_back(2);
    return ops::where(flips, ops::reverse(pixels, axes), pixels);
  };
  if (batch.boxes.defined()) {
    const Tensor boxes = pixel_boxes(batch);
    const auto column = [&](int64_t i) { return ops::slice_axis(boxes, -1, i, i + 1); };
    const auto width = static_cast<double>(batch.images.dim(2));
    const auto height = static_cast<double>(batch.images.dim(1));
    const Tensor turned = ops::concatenate(
        {across ? width - column(2) : column(0), down ? height - column(3) : column(1),
         across ? width - column(0) : column(2), down ? height - column(1) : column(3)},
        -1);
    place_boxes(batch, ops::where(ops::squeeze(flips, -1), turned, boxes));
  }
  batch.images = mirrored(batch.images);
  if (batch.masks.defined()) batch.masks = mirrored(ops::cast(batch.masks, compute_dtype()));
  return batch;
}

RandomRotation::RandomRotation(const RandomRotationOptions& options)
    : LayerOf(with_format(options), image_formats(options)) {
  options_.factor = checked_factor(options.factor, {-1, 1});
  check_sampling(options);
  use_seed(options.seed);
}

ImageBatch RandomRotation::transform_all(ImageBatch batch) {
  const Tensor& images = batch.images;
  constexpr double kTurn = 2 * std::numbers::pi;
  const Tensor angle =
      uniform({images.dim(0)}, options_.factor.low() * 360, options_.factor.high() * 360) *
      (kTurn / 360);
  const Tensor cosine = ops::cos(angle);
  const Tensor sine = ops::sin(angle);
  const double cx = 0.5 * static_cast<double>(images.dim(2) - 1);
  const double cy = 0.5 * static_cast<double>(images.dim(1) - 1);
  const ops::Projection turn{.a0 = cosine,
                             .a1 = -sine,
                             .a2 = cx - cx * cosine + cy * sine,
                             .b0 = sine,
                             .b1 = cosine,
                             .b2 = cy - cx * sine - cy * cosine};
  return projected(std::move(batch), turn, sampling_of(options_));
}

RandomTranslation::RandomTranslation(FactorRange height_factor, FactorRange width_factor,
                                     RandomTranslationOptions options)
    : RandomTranslation(by_position<&RandomTranslationOptions::height_factor,
                                    &RandomTranslationOptions::width_factor>(
          "RandomTranslation", std::move(options), std::move(height_factor),
          std::move(width_factor))) {}

RandomTranslation::RandomTranslation(const RandomTranslationOptions& options)
    : LayerOf(with_format(options), image_formats(options)) {
  symmetric_factor("height_factor", options.height_factor, {-1, 1});
  symmetric_factor("width_factor", options.width_factor, {-1, 1});
  check_sampling(options);
  use_seed(options.seed);
}

ImageBatch RandomTranslation::transform_all(ImageBatch batch) {
  const Tensor& images = batch.images;
  const FactorRange down = symmetric_factor("height_factor", options_.height_factor, {-1, 1});
  const FactorRange right = symmetric_factor("width_factor", options_.width_factor, {-1, 1});
  const Shape shape{images.dim(0)};
  const Tensor dy = uniform(shape, down.low(), down.high()) * static_cast<double>(images.dim(1));
  const Tensor dx = uniform(shape, right.low(), right.high()) * static_cast<double>(images.dim(2));
  const ops::Projection shift{.a0 = 1.0, .a1 = 0.0, .a2 = -dx, .b0 = 0.0, .b1 = 1.0, .b2 = -dy};
  return projected(std::move(batch), shift, sampling_of(options_));
}

namespace {

/// More than -1 and at most 1.
constexpr FactorBounds kZoomBounds{-0.99999999, 1};

}  // namespace

RandomZoom::RandomZoom(const RandomZoomOptions& options)
    : LayerOf(with_format(options), image_formats(options)) {
  symmetric_factor("height_factor", options.height_factor, kZoomBounds);
  if (options.width_factor.given()) {
    symmetric_factor("width_factor", options.width_factor, kZoomBounds);
  }
  check_sampling(options);
  use_seed(options.seed);
}

ImageBatch RandomZoom::transform_all(ImageBatch batch) {
  const Tensor& images = batch.images;
  const Shape shape{images.dim(0)};
  const auto draw = [&](const char* name, const FactorRange& factor) {
    const FactorRange range = symmetric_factor(name, factor, kZoomBounds);
    return uniform(shape, 1 + range.low(), 1 + range.high());
  };
  const Tensor zy = draw("height_factor", options_.height_factor);
  const Tensor zx =
      options_.width_factor.given() ? draw("width_factor", options_.width_factor) : zy;
  const double cx = 0.5 * static_cast<double>(images.dim(2) - 1);
  const double cy = 0.5 * static_cast<double>(images.dim(1) - 1);
  const ops::Projection zoom{
      .a0 = zx, .a1 = 0.0, .a2 = cx * (1.0 - zx), .b0 = 0.0, .b1 = zy, .b2 = cy * (1.0 - zy)};
  return projected(std::move(batch), zoom, sampling_of(options_));
}

RandomShear::RandomShear(const RandomShearOptions& options)
    : LayerOf(with_format(options), image_formats(options)) {
  options_.x_factor =
      symmetric_factor("x_factor", options.x_factor, {options.x_factor.is_range() ? -1.0 : 0.0, 1});
  options_.y_factor =
      symmetric_factor("y_factor", options.y_factor, {options.y_factor.is_range() ? -1.0 : 0.0, 1});
  check_sampling(options);
  use_seed(options.seed);
}

ImageBatch RandomShear::transform_all(ImageBatch batch) {
  const Shape shape{batch.images.dim(0)};
  const Tensor way = ops::where(ops::greater(uniform(shape, 0, 1), 0.5), -1.0, 1.0);
  const Tensor y = uniform(shape, options_.y_factor.low(), options_.y_factor.high()) * way;
  const Tensor x = uniform(shape, options_.x_factor.low(), options_.x_factor.high()) * way;
  const ops::Projection slant{.a0 = 1.0, .a1 = x, .a2 = 0.0, .b0 = y, .b1 = 1.0, .b2 = 0.0};
  return projected(std::move(batch), slant, sampling_of(options_));
}

RandomPerspective::RandomPerspective(const RandomPerspectiveOptions& options)
    : LayerOf(options, image_formats(options)) {
  options_.factor = checked_factor(options.factor, {0, 1});
  if (!(options.scale >= 0 && options.scale <= 1)) {
    throw ValueError(
        "The `scale` argument should be a number in the range [0,1]. Received: scale={}",
        options.scale);
  }
  check_interpolation(options.interpolation);
  if (!options_.data_format) options_.data_format = "channels_last";
  use_seed(options.seed);
}

ImageBatch RandomPerspective::transform_all(ImageBatch batch) {
  const Tensor& images = batch.images;
  const int64_t count = images.dim(0);
  const Shape shape{count, 1, 1, 1};
  const Tensor probability = uniform(shape, options_.factor.low(), options_.factor.high());
  const Tensor applies = ops::less(uniform(shape, 0, 1), probability);
  const double half = 0.5 * options_.scale;
  const Tensor moves = uniform({count, 4, 2}, -half, half);
  // The corners: top left, top right, bottom left, bottom right. Each has its own random offset.
  const auto right = static_cast<float>(images.dim(2) - 1);
  const auto bottom = static_cast<float>(images.dim(1) - 1);
  const Tensor corners = Tensor::of<float>({0, 0, right, 0, 0, bottom, right, bottom}, {1, 4, 2});
  const Tensor moved = corners + corners * moves;
  const ops::Projection inverse = ops::projection_between(corners, moved);
  const ops::Sampling sampling{.interpolation = options_.interpolation,
                               .fill_mode = "constant",
                               .fill_value = options_.fill_value};
  const ImageBatch seen = projected({.images = images, .masks = batch.masks}, inverse, sampling);
  if (batch.boxes.defined()) {
    const Tensor boxes = pixel_boxes(batch);
    const Tensor moved_boxes = project_boxes(boxes, inverse);
    place_boxes(batch, ops::where(ops::squeeze(applies, -1), moved_boxes, boxes));
  }
  if (batch.masks.defined()) batch.masks = ops::where(applies, seen.masks, batch.masks);
  batch.images = ops::where(applies, seen.images, images);
  return batch;
}

LayerClasses image_geometry_layers() {
  return layer_classes<RandomFlip, RandomRotation, RandomTranslation, RandomZoom, RandomShear,
                       RandomPerspective>();
}

}  // namespace antler
