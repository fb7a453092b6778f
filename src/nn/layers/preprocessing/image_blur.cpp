#include "antler/nn/layers/image_mixing.h"

#include <algorithm>

#include "antler/ops/core.h"
#include "antler/ops/image.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/layers/classes.h"
#include "nn/layers/preprocessing/image_support.h"
#include "nn/list_field.h"

namespace antler {

template <class V>
void fields(V& v, RandomGaussianBlurOptions& o) {
  format_fields(v, o);
  v("factor", o.factor);
  v("kernel_size", o.kernel_size);
  v("sigma", o.sigma);
  list_field(v, "value_range", o.value_range);
  v("seed", o.seed);
}

template <class V>
void fields(V& v, RandomElasticTransformOptions& o) {
  format_fields(v, o);
  v("factor", o.factor);
  v("scale", o.scale);
  v("interpolation", o.interpolation);
  v("fill_mode", o.fill_mode);
  v("fill_value", o.fill_value);
  list_field(v, "value_range", o.value_range);
  v("seed", o.seed);
}

namespace {

constexpr FactorBounds kUnitShare{0, 1};

}  // namespace

RandomGaussianBlur::RandomGaussianBlur(const RandomGaussianBlurOptions& options)
    : LayerOf(with_format(options), image_formats(options)) {
  options_.factor = checked_factor(options.factor, kUnitShare);
  options_.sigma = checked_factor(options.sigma, kUnitShare);
  options_.value_range = checked_value_range(options.value_range);
  std::vector<int64_t>& sizes = options_.kernel_size;
  if (sizes.size() == 1) sizes.push_back(sizes[0]);
  if (sizes.size() != 2 || sizes[0] % 2 != 1 || sizes[1] % 2 != 1) {
    throw ValueError("The `kernel_size` argument should be one or two odd numbers.");
  }
  use_seed(options.seed);
}

Tensor RandomGaussianBlur::transform(const Tensor& images) {
  const Shape each{images.dim(0), 1, 1, 1};
  const Tensor probability = uniform(each, options_.factor.low(), options_.factor.high());
  const Tensor applies = ops::less(uniform(each, 0, 1), probability);
  const auto width = [&] {
    return uniform({}, options_.sigma.low(), options_.sigma.high()) + 1e-6;
  };
  const Tensor across = width();
  const Tensor down = width();
  const Tensor blurred = ops::gaussian_blur(
      images,
      {.kernel_size = {options_.kernel_size[0], options_.kernel_size[1]}, .sigma = {across, down}});
  return ops::clip(ops::where(applies, blurred, images), options_.value_range[0],
                   options_.value_range[1]);
}

RandomElasticTransform::RandomElasticTransform(const RandomElasticTransformOptions& options)
    : LayerOf(with_format(options), image_formats(options)) {
  options_.factor = checked_factor(options.factor, kUnitShare);
  options_.scale = checked_factor(options.scale, kUnitShare);
  options_.value_range = checked_value_range(options.value_range);
  check_fill_mode(options.fill_mode);
  check_interpolation(options.interpolation);
  use_seed(options.seed);
}

ImageBatch RandomElasticTransform::transform_all(ImageBatch batch) {
  refuse_boxes(batch);
  if (options_.scale.high() == 0 || options_.factor.high() == 0) return batch;
  const Tensor& images = batch.images;
  const Shape each{images.dim(0), 1, 1, 1};
  const Tensor probability = uniform(each, options_.factor.low(), options_.factor.high());
  const Tensor applies = ops::less(uniform(each, 0, 1), probability);
  const Tensor strength = uniform({}, options_.scale.low(), options_.scale.high());
  const auto longer = static_cast<double>(std::max(images.dim(1), images.dim(2)));
  const auto shorter = static_cast<double>(std::min(images.dim(1), images.dim(2)));
  const Tensor alpha = strength * (0.1 * longer);
  const Tensor sigma = ops::maximum(strength * (0.05 * shorter), 1e-6);
  // The window covers three standard deviations on each side for the largest sigma.
  const int64_t window = 6 * static_cast<int64_t>(0.05 * shorter * options_.scale.high()) | 1;
  const Tensor seed = next_seed();
  const auto bent = [&](const Tensor& pixels, const std::string& interpolation) {
    const Tensor sampled = ops::elastic_transform(pixels, seed,
                                                  {.alpha = alpha,
                                                   .sigma = sigma,
                                                   .interpolation = interpolation,
                                                   .fill_mode = options_.fill_mode,
                                                   .fill_value = options_.fill_value,
                                                   .window = window});
    return ops::clip(ops::where(applies, sampled, pixels), options_.value_range[0],
                     options_.value_range[1]);
  };
  if (batch.masks.defined()) {
    batch.masks = bent(ops::cast(batch.masks, compute_dtype()), "nearest");
  }
  batch.images = bent(images, options_.interpolation);
  return batch;
}

LayerClasses image_blur_layers() {
  return layer_classes<RandomElasticTransform, RandomGaussianBlur>();
}

}  // namespace antler
