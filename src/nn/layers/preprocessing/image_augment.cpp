#include "antler/nn/layers/image_mixing.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "antler/nn/registry.h"
#include "antler/ops/control_flow.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/random.h"
#include "nn/layers/classes.h"
#include "nn/layers/preprocessing/image_support.h"
#include "nn/list_field.h"

namespace antler {

template <class V>
void fields(V& v, RandAugmentOptions& o) {
  format_fields(v, o);
  list_field(v, "value_range", o.value_range);
  v("num_ops", o.num_ops);
  v("factor", o.factor);
  v("interpolation", o.interpolation);
  v("seed", o.seed);
}

template <class V>
void fields(V& v, AugMixOptions& o) {
  format_fields(v, o);
  list_field(v, "value_range", o.value_range);
  v("num_chains", o.num_chains);
  v("chain_depth", o.chain_depth);
  v("factor", o.factor);
  v("alpha", o.alpha);
  v("all_ops", o.all_ops);
  v("interpolation", o.interpolation);
  v("seed", o.seed);
}

namespace {

constexpr FactorBounds kStrength{0, 1};

/// The layers that RandAugment and AugMix choose from; the last four change only colors.
std::vector<LayerPtr> changes_of(const FactorRange& factor, const std::vector<double>& range,
                                 const std::string& interpolation,
                                 const std::optional<int64_t>& seed, bool colors,
                                 const std::optional<std::string>& boxes) {
  const ColorFactorOptions color{
      .factor = factor, .value_range = range, .bounding_box_format = boxes, .seed = seed};
  ColorFactorOptions bits = color;
  bits.factor = std::max(1.0, std::floor(8 * factor.high()));
  std::vector<LayerPtr> changes = {
      RandomShear({.x_factor = factor,
                   .y_factor = factor,
                   .interpolation = interpolation,
                   .bounding_box_format = boxes,
                   .seed = seed})
          .share(),
      RandomTranslation(
          factor, factor,
          {.interpolation = interpolation, .seed = seed, .bounding_box_format = boxes})
          .share(),
      RandomRotation(factor,
                     {.interpolation = interpolation, .seed = seed, .bounding_box_format = boxes})
          .share(),
      Solarization({.addition_factor = factor,
                    .threshold_factor = factor,
                    .value_range = range,
                    .bounding_box_format = boxes,
                    .seed = seed})
          .share(),
      RandomPosterization(bits).share(),
      AutoContrast({.value_range = range, .bounding_box_format = boxes}).share(),
      Equalization({.value_range = range, .bounding_box_format = boxes}).share(),
  };
  if (!colors) return changes;
  changes.push_back(RandomBrightness(color).share());
  changes.push_back(RandomColorDegeneration(color).share());
  changes.push_back(RandomContrast(color).share());
  changes.push_back(RandomSharpness(color).share());
  return changes;
}

/// Applies one of the layers, chosen at run time; an index past the end applies none. Labels are
/// unchanged.
ImageBatch apply_one(const std::vector<LayerPtr>& changes, const Tensor& index, ImageBatch batch) {
  Nest::Items items = {{"images", batch.images}};
  if (batch.masks.defined()) items.emplace_back("segmentation_masks", batch.masks);
  if (batch.boxes.defined()) {
    items.emplace_back("bounding_boxes",
                       Nest::dict({{"boxes", batch.boxes}, {"labels", batch.box_labels}}));
  }
  const Nest data = Nest::dict(std::move(items));
  std::vector<std::function<std::vector<Tensor>()>> branches;
  branches.reserve(changes.size() + 1);
  for (const LayerPtr& change : changes) {
    branches.emplace_back([&data, change]() -> std::vector<Tensor> {
      return (*change)(data, {.training = true}).flatten();
    });
  }
  branches.emplace_back([&data]() -> std::vector<Tensor> { return data.flatten(); });
  const Nest changed = data.pack(ops::switch_(index, branches));
  batch.images = changed.at("images").tensor();
  if (batch.masks.defined()) batch.masks = changed.at("segmentation_masks").tensor();
  if (batch.boxes.defined()) {
    batch.boxes = changed.at("bounding_boxes").at("boxes").tensor();
    batch.box_labels = changed.at("bounding_boxes").at("labels").tensor();
  }
  return batch;
}

}  // namespace

RandAugment::RandAugment(const RandAugmentOptions& options)
    : LayerOf(with_format(options), image_formats(options)) {
  options_.factor = checked_factor(options.factor, kStrength);
  options_.value_range = checked_value_range(options.value_range);
  check_interpolation(options.interpolation);
  use_seed(options.seed);
  changes_ = changes_of(options_.factor, options_.value_range, options.interpolation, options.seed,
                        true, options.bounding_box_format);
  for (const LayerPtr& change : changes_) track_layer(to_snake_case(change->class_name()), change);
}

ImageBatch RandAugment::transform_all(ImageBatch batch) {
  for (int64_t i = 0; i < options_.num_ops; ++i) {
    const Tensor index = ops::random_integers(next_seed(), {}, 0, std::ssize(changes_));
    batch = apply_one(changes_, index, std::move(batch));
  }
  return batch;
}

AugMix::AugMix(const AugMixOptions& options)
    : LayerOf(with_format(options), image_formats(options)) {
  options_.factor = checked_factor(options.factor, kStrength);
  options_.value_range = checked_value_range(options.value_range);
  check_interpolation(options.interpolation);
  use_seed(options.seed);
  changes_ = changes_of(options_.factor, options_.value_range, options.interpolation, options.seed,
                        options.all_ops, options.bounding_box_format);
  for (const LayerPtr& change : changes_) track_layer(to_snake_case(change->class_name()), change);
}

ImageBatch AugMix::transform_all(ImageBatch batch) {
  const Tensor& images = batch.images;
  const Tensor masks = batch.masks.defined() ? ops::cast(batch.masks, images.dtype()) : batch.masks;
  const auto seeds = [&] { return next_seed(); };
  const Tensor alpha = Tensor::full(DType::float32, {}, options_.alpha);
  // A Dirichlet distribution: normalized gamma variates.
  const Tensor weights = ops::softmax(log_gamma_variate(seeds, options_.num_chains, alpha));
  const Tensor kept =
      ops::cast(ops::reshape(beta_variate(seeds, 1, alpha), Shape()), images.dtype());
  // The boxes are unchanged, because the original image remains visible.
  Tensor mixed = ops::zeros(images.shape(), images.dtype());
  Tensor mixed_masks = masks.defined() ? ops::zeros_like(masks) : masks;
  for (int64_t chain = 0; chain < options_.num_chains; ++chain) {
    ImageBatch x{.images = images, .masks = masks};
    for (int64_t depth = 0; depth < options_.chain_depth; ++depth) {
      const Tensor index = ops::random_integers(next_seed(), {}, 0, std::ssize(changes_) + 1);
      x = apply_one(changes_, index, std::move(x));
    }
    const Tensor weight = ops::cast(
        ops::reshape(ops::slice_axis(weights, 0, chain, chain + 1), Shape()), images.dtype());
    mixed = mixed + x.images * weight;
    if (masks.defined()) mixed_masks = mixed_masks + x.masks * weight;
  }
  if (masks.defined()) batch.masks = kept * masks + (1.0 - kept) * mixed_masks;
  batch.images = ops::clip(kept * images + (1.0 - kept) * mixed, options_.value_range[0],
                           options_.value_range[1]);
  return batch;
}

LayerClasses image_augment_layers() { return layer_classes<RandAugment, AugMix>(); }

}  // namespace antler
