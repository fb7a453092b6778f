#include "antler/nn/layers/image_color.h"

#include <algorithm>
#include <utility>

#include "antler/nn/by_position.h"
#include "antler/ops/core.h"
#include "antler/ops/image.h"
#include "antler/ops/nn/pooling.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/random.h"
#include "nn/layers/classes.h"
#include "nn/layers/preprocessing/image_support.h"
#include "nn/list_field.h"

namespace antler {

template <class V>
void fields(V& v, ColorFactorOptions& o) {
  format_fields(v, o);
  v.required("factor", o.factor);
  list_field(v, "value_range", o.value_range);
  v("seed", o.seed);
}

template <class V>
void fields(V& v, RandomGrayscaleOptions& o) {
  format_fields(v, o);
  v("factor", o.factor);
  v("seed", o.seed);
}

template <class V>
void fields(V& v, SolarizationOptions& o) {
  format_fields(v, o);
  list_field(v, "value_range", o.value_range);
  v("addition_factor", o.addition_factor);
  v("threshold_factor", o.threshold_factor);
  v("seed", o.seed);
}

template <class V>
void fields(V& v, RandomColorJitterOptions& o) {
  format_fields(v, o);
  list_field(v, "value_range", o.value_range);
  v("brightness_factor", o.brightness_factor);
  v("contrast_factor", o.contrast_factor);
  v("saturation_factor", o.saturation_factor);
  v("hue_factor", o.hue_factor);
  v("seed", o.seed);
}

namespace {

constexpr FactorBounds kUnit{0, 1};
const std::vector<double> kBytes = {0, 255};

ColorFactorOptions checked_color(ColorFactorOptions o, FactorBounds bounds) {
  o.factor = checked_factor(o.factor, bounds);
  o.value_range = checked_value_range(std::move(o.value_range));
  if (!o.data_format) o.data_format = "channels_last";
  return o;
}

Tensor within(const Tensor& images, const ColorFactorOptions& o) {
  return ops::clip(images, o.value_range[0], o.value_range[1]);
}

/// [batch, 1, 1, 1].
Shape one_per_image(const Tensor& images) { return {images.dim(0), 1, 1, 1}; }

Tensor with_channel(const Tensor& images, int64_t index, const Tensor& values) {
  Tensors channels = ops::unstack(images, -1);
  channels[static_cast<size_t>(index)] = values;
  return ops::stack(channels, -1);
}

Tensor channel_of(const Tensor& images, int64_t index) {
  return ops::squeeze(ops::slice_axis(images, -1, index, index + 1), -1);
}

}  // namespace

RandomBrightness::RandomBrightness(const ColorFactorOptions& options)
    : LayerBase("RandomBrightness", base_options(options), image_formats(options)),
      options_(checked_color(options, {-1, 1})) {
  keep_integers(/*in_training=*/true);
  use_seed(options.seed);
}
ImageBatch RandomBrightness::transform_all(ImageBatch batch) {
  const double range = options_.value_range[1] - options_.value_range[0];
  Tensor delta =
      uniform(one_per_image(batch.images), options_.factor.low(), options_.factor.high()) * range;
  // As in Keras, integer images get an integer offset. Unlike in Keras, bytes do not wrap around
  // from 255 to 0.
  if (is_integer(batch.given)) delta = ops::trunc(delta);
  batch.images = within(batch.images + ops::cast(delta, batch.images.dtype()), options_);
  return batch;
}
Json RandomBrightness::get_config() const { return config_of(*this, options_); }

RandomContrast::RandomContrast(const ColorFactorOptions& options)
    : LayerOf(checked_color(options, kUnit), image_formats(options)) {
  keep_integers();
  use_seed(options.seed);
}
Tensor RandomContrast::transform(const Tensor& images) {
  const Tensor factor = ops::cast(
      uniform(one_per_image(images), 1 - options_.factor.low(), 1 + options_.factor.high()),
      images.dtype());
  const Tensor mean = ops::mean(images, {1, 2}, {.keepdims = true});
  return within((images - mean) * factor + mean, options_);
}
RandomColorDegeneration::RandomColorDegeneration(const ColorFactorOptions& options)
    : LayerBase("RandomColorDegeneration", base_options(options), image_formats(options)),
      options_(checked_color(options, {-1, 1})) {
  keep_integers();
  use_seed(options.seed);
}
Tensor RandomColorDegeneration::transform(const Tensor& images) {
  const Tensor factor =
      ops::cast(uniform(one_per_image(images), options_.factor.low(), options_.factor.high()),
                images.dtype());
  return within(images + factor * (ops::rgb_to_grayscale(images) - images), options_);
}
Json RandomColorDegeneration::get_config() const { return config_of(*this, options_); }

RandomSaturation::RandomSaturation(const ColorFactorOptions& options)
    : LayerBase("RandomSaturation", base_options(options), image_formats(options)),
      options_(checked_color(options, {-1, 1})) {
  keep_integers();
  use_seed(options.seed);
}
Tensor RandomSaturation::transform(const Tensor& images) {
  constexpr double kEpsilon = 1e-7;
  const Tensor drawn =
      uniform({images.dim(0), 1, 1}, options_.factor.low(), options_.factor.high());
  const Tensor factor = ops::cast(drawn / (1.0 - drawn + kEpsilon), images.dtype());
  const Tensor hsv = ops::rgb_to_hsv(images);
  const Tensor saturation = channel_of(hsv, 1) * factor;
  return ops::hsv_to_rgb(with_channel(hsv, 1, within(saturation, options_)));
}
Json RandomSaturation::get_config() const { return config_of(*this, options_); }

RandomHue::RandomHue(const ColorFactorOptions& options)
    : LayerOf(checked_color(options, kUnit), image_formats(options)) {
  keep_integers();
  use_seed(options.seed);
}
Tensor RandomHue::transform(const Tensor& images) {
  const std::vector<double> unit = {0, 1};
  const Shape shape{images.dim(0), 1, 1};
  const Tensor way = ops::where(ops::greater(uniform(shape, 0, 1), 0.5), -1.0, 1.0);
  const Tensor turn = uniform(shape, options_.factor.low(), options_.factor.high()) * way * 0.5;
  const Tensor hsv = ops::rgb_to_hsv(change_range(images, options_.value_range, unit));
  Tensor hue = channel_of(hsv, 0) + ops::cast(turn, images.dtype());
  hue = ops::where(ops::greater(hue, 1.0), hue - 1.0, hue);
  hue = ops::where(ops::less(hue, 0.0), hue + 1.0, hue);
  const Tensor rgb = ops::clip(ops::hsv_to_rgb(with_channel(hsv, 0, hue)), 0.0, 1.0);
  return change_range(rgb, unit, options_.value_range);
}
RandomSharpness::RandomSharpness(const ColorFactorOptions& options)
    : LayerOf(checked_color(options, kUnit), image_formats(options)) {
  use_seed(options.seed);
}
Tensor RandomSharpness::transform(const Tensor& images) {
  // A 3x3 kernel with 5/13 in the middle and 1/13 elsewhere; zeros outside the image.
  const Tensor sum = ops::reduce_window(
      images, ops::WindowOp::sum,
      {.window = {1, 3, 3, 1}, .pad_low = {0, 1, 1, 0}, .pad_high = {0, 1, 1, 0}});
  const Tensor smooth = sum * (1.0 / 13.0) + images * (4.0 / 13.0);
  const Tensor factor =
      ops::cast(uniform(one_per_image(images), options_.factor.low(), options_.factor.high()) * 2.0,
                images.dtype());
  return within(images + (1.0 - factor) * (smooth - images), options_);
}
RandomPosterization::RandomPosterization(const ColorFactorOptions& options)
    : LayerBase("RandomPosterization", base_options(options), image_formats(options)),
      options_(checked_color(options, {1, 8})) {
  keep_integers();
  use_seed(options.seed);
}
Tensor RandomPosterization::transform(const Tensor& images) {
  const auto low = static_cast<int64_t>(options_.factor.low());
  const auto high = static_cast<int64_t>(options_.factor.high());
  const Shape shape = one_per_image(images);
  const Tensor bits = low == high ? Tensor::full(DType::int32, shape, static_cast<double>(low))
                                  : ops::random_integers(next_seed(), shape, low, high);
  const Tensor step =
      ops::cast(ops::left_shift(Tensor::full(DType::int32, {}, 1.0), 8 - bits), images.dtype());
  const Tensor bytes = ops::trunc(change_range(images, options_.value_range, kBytes));
  return change_range(ops::floor(bytes / step) * step, kBytes, options_.value_range);
}
Json RandomPosterization::get_config() const { return config_of(*this, options_); }

RandomInvert::RandomInvert(const ColorFactorOptions& options)
    : LayerOf(checked_color(options.factor.given() ? options
                                                   : by_position<&ColorFactorOptions::factor>(
                                                         "RandomInvert", options, 1.0),
                            kUnit),
              image_formats(options)) {
  keep_integers();
  use_seed(options.seed);
}
Tensor RandomInvert::transform(const Tensor& images) {
  const Shape shape = one_per_image(images);
  const Tensor probability = uniform(shape, options_.factor.low(), options_.factor.high());
  const Tensor inverts = ops::less(uniform(shape, 0, 1), probability);
  return ops::where(inverts, options_.value_range[1] - images, images);
}
RandomGrayscale::RandomGrayscale(const RandomGrayscaleOptions& options)
    : LayerOf(options, image_formats(options)) {
  keep_integers(/*in_training=*/true);
  if (!(options.factor >= 0 && options.factor <= 1)) {
    throw ValueError("`factor` should be between 0 and 1. Received: factor={}", options.factor);
  }
  if (!options_.data_format) options_.data_format = "channels_last";
  use_seed(options.seed);
}
Tensor RandomGrayscale::transform(const Tensor& images) {
  const Tensor applies = ops::less(uniform(one_per_image(images), 0, 1), options_.factor);
  return ops::where(applies, ops::rgb_to_grayscale(images), images);
}
Json RandomGrayscale::get_config() const {
  Json config = config_of(*this, options_);
  config.erase("seed");  // Keras does not write it
  return config;
}

namespace {

FactorRange checked_share(const char* name, const FactorRange& factor) {
  FactorRange range = symmetric_factor(name, factor, kUnit);
  return factor.is_range() ? range : FactorRange{0.0, range.high()};
}

}  // namespace

Solarization::Solarization(const SolarizationOptions& options)
    : LayerOf(options, image_formats(options)) {
  options_.addition_factor = checked_share("addition_factor", options.addition_factor);
  options_.threshold_factor = checked_share("threshold_factor", options.threshold_factor);
  options_.value_range = checked_value_range(options.value_range);
  if (!options_.data_format) options_.data_format = "channels_last";
  use_seed(options.seed);
}
Tensor Solarization::transform(const Tensor& images) {
  const Shape shape = one_per_image(images);
  const auto draw = [&](const FactorRange& factor) {
    return ops::cast(uniform(shape, factor.low(), factor.high() * 255), images.dtype());
  };
  const Tensor additions = draw(options_.addition_factor);
  const Tensor thresholds = draw(options_.threshold_factor);
  const Tensor bytes =
      ops::clip(change_range(images, options_.value_range, kBytes) + additions, 0.0, 255.0);
  const Tensor results = ops::where(ops::less(bytes, thresholds), bytes, 255.0 - bytes);
  return change_range(results, kBytes, options_.value_range);
}
RandomColorJitter::RandomColorJitter(const RandomColorJitterOptions& options)
    : LayerOf(options, image_formats(options)) {
  keep_integers();
  options_.value_range = checked_value_range(options.value_range);
  if (!options_.data_format) options_.data_format = "channels_last";
  const auto part = [&](const FactorRange& factor) {
    return ColorFactorOptions{
        .factor = factor, .value_range = options_.value_range, .seed = options.seed};
  };
  if (options.brightness_factor.given()) {
    brightness_ = track("random_brightness", RandomBrightness(part(options.brightness_factor)));
  }
  if (options.contrast_factor.given()) {
    contrast_ = track("random_contrast", RandomContrast(part(options.contrast_factor)));
  }
  if (options.saturation_factor.given()) {
    saturation_ = track("random_saturation", RandomSaturation(part(options.saturation_factor)));
  }
  if (options.hue_factor.given()) {
    hue_ = track("random_hue", RandomHue(part(options.hue_factor)));
  }
}
Tensor RandomColorJitter::transform(const Tensor& images) {
  const CallOptions training{.training = true};
  Tensor x = images;
  if (brightness_) x = (*brightness_)(x, training);
  if (contrast_) x = (*contrast_)(x, training);
  if (saturation_) x = (*saturation_)(x, training);
  if (hue_) x = (*hue_)(x, training);
  return x;
}

namespace {

LayerPtr random_invert_from_config(const Json& c) {
  Json config = c;
  if (!config.contains("factor")) config["factor"] = 1.0;  // the only layer where it has a default
  return layer_from_options<RandomInvert, ColorFactorOptions>(config);
}

}  // namespace

LayerClasses image_color_layers() {
  static constexpr LayerClass kClasses[] = {
      layer_class<RandomBrightness, ColorFactorOptions>(),
      layer_class<RandomContrast, ColorFactorOptions>(),
      layer_class<RandomColorDegeneration, ColorFactorOptions>(),
      layer_class<RandomSaturation, ColorFactorOptions>(),
      layer_class<RandomHue, ColorFactorOptions>(),
      layer_class<RandomSharpness, ColorFactorOptions>(),
      layer_class<RandomPosterization, ColorFactorOptions>(),
      layer_class<RandomInvert>(random_invert_from_config),
      layer_class<RandomGrayscale, RandomGrayscaleOptions>(),
      layer_class<Solarization, SolarizationOptions>(),
      layer_class<RandomColorJitter, RandomColorJitterOptions>(),
  };
  return kClasses;
}

}  // namespace antler
