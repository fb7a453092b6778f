#include "antler/nn/layers/image_mixing.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "antler/nn/registry.h"
#include "antler/ops/control_flow.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/nn.h"
#include "antler/ops/random.h"
#include "antler/ops/shape.h"
#include "nn/layers/preprocessing/image_support.h"
#include "nn/layers/preprocessing/list.h"
#include "nn/list_field.h"

namespace antler {

template <class V>
void fields(V& v, RandAugmentOptions& o) {
  v("data_format", o.data_format);
  list_field(v, "value_range", o.value_range);
  v("num_ops", o.num_ops);
  v("factor", o.factor);
  v("interpolation", o.interpolation);
  v("seed", o.seed);
}

template <class V>
void fields(V& v, AugMixOptions& o) {
  v("data_format", o.data_format);
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

/// The changes that RandAugment and AugMix choose from; the last four are colours only.
std::vector<LayerPtr> changes_of(const FactorRange& factor, const std::vector<double>& range,
                                 const std::string& interpolation,
                                 const std::optional<int64_t>& seed, bool colours) {
  const ColorFactorOptions color{.factor = factor, .value_range = range, .seed = seed};
  ColorFactorOptions bits = color;
  bits.factor = std::max(1.0, std::floor(8 * factor.high()));
  std::vector<LayerPtr> changes = {
      RandomShear(
          {.x_factor = factor, .y_factor = factor, .interpolation = interpolation, .seed = seed})
          .share(),
      RandomTranslation(factor, factor, {.interpolation = interpolation, .seed = seed}).share(),
      RandomRotation(factor, {.interpolation = interpolation, .seed = seed}).share(),
      Solarization({.addition_factor = factor,
                    .threshold_factor = factor,
                    .value_range = range,
                    .seed = seed})
          .share(),
      RandomPosterization(bits).share(),
      AutoContrast({.value_range = range}).share(),
      Equalization({.value_range = range}).share(),
  };
  if (!colours) return changes;
  changes.push_back(RandomBrightness(color).share());
  changes.push_back(RandomColorDegeneration(color).share());
  changes.push_back(RandomContrast(color).share());
  changes.push_back(RandomSharpness(color).share());
  return changes;
}

/// One of the changes (one index more: none), chosen when the program runs.
Tensor apply_one(const std::vector<LayerPtr>& changes, const Tensor& index, const Tensor& images) {
  std::vector<std::function<std::vector<Tensor>()>> branches;
  for (const LayerPtr& change : changes) {
    branches.emplace_back([&images, change]() -> std::vector<Tensor> {
      return {(*change)(images, {.training = true})};
    });
  }
  branches.emplace_back([&images]() -> std::vector<Tensor> { return {images}; });
  return ops::switch_(index, branches)[0];
}

}  // namespace

RandAugment::RandAugment(const RandAugmentOptions& options)
    : LayerBase("RandAugment", base_options(options), options.data_format),
      options_(with_format(options)) {
  options_.factor = checked_factor(options.factor, kStrength);
  options_.value_range = checked_value_range(options.value_range);
  check_interpolation(options.interpolation);
  use_seed(options.seed);
  changes_ =
      changes_of(options_.factor, options_.value_range, options.interpolation, options.seed, true);
  for (const LayerPtr& change : changes_) track_layer(to_snake_case(change->class_name()), change);
}

Tensor RandAugment::transform(const Tensor& images) {
  Tensor x = images;
  for (int64_t i = 0; i < options_.num_ops; ++i) {
    const Tensor index = ops::random_integers(next_seed(), {}, 0, std::ssize(changes_));
    x = apply_one(changes_, index, x);
  }
  return x;
}

Json RandAugment::get_config() const { return config_of(*this, options_); }

AugMix::AugMix(const AugMixOptions& options)
    : LayerBase("AugMix", base_options(options), options.data_format),
      options_(with_format(options)) {
  options_.factor = checked_factor(options.factor, kStrength);
  options_.value_range = checked_value_range(options.value_range);
  check_interpolation(options.interpolation);
  use_seed(options.seed);
  changes_ = changes_of(options_.factor, options_.value_range, options.interpolation, options.seed,
                        options.all_ops);
  for (const LayerPtr& change : changes_) track_layer(to_snake_case(change->class_name()), change);
}

Tensor AugMix::transform(const Tensor& images) {
  const auto seeds = [&] { return next_seed(); };
  const Tensor alpha = Tensor::full(DType::float32, {}, options_.alpha);
  // Dirichlet: normalised gamma variates.
  const Tensor weights = ops::softmax(log_gamma_variate(seeds, options_.num_chains, alpha));
  const Tensor kept =
      ops::cast(ops::reshape(beta_variate(seeds, 1, alpha), Shape()), images.dtype());
  Tensor mixed = ops::zeros(images.shape(), images.dtype());
  for (int64_t chain = 0; chain < options_.num_chains; ++chain) {
    Tensor x = images;
    for (int64_t depth = 0; depth < options_.chain_depth; ++depth) {
      const Tensor index = ops::random_integers(next_seed(), {}, 0, std::ssize(changes_) + 1);
      x = apply_one(changes_, index, x);
    }
    const Tensor weight = ops::reshape(ops::slice_axis(weights, 0, chain, chain + 1), Shape());
    mixed = mixed + x * ops::cast(weight, images.dtype());
  }
  return ops::clip(kept * images + (1.0 - kept) * mixed, options_.value_range[0],
                   options_.value_range[1]);
}

Json AugMix::get_config() const { return config_of(*this, options_); }

LayerPtr rand_augment_from_config(const Json& config) {
  return RandAugment(image_options<RandAugmentOptions>(config, "RandAugment")).share();
}

LayerPtr aug_mix_from_config(const Json& config) {
  return AugMix(image_options<AugMixOptions>(config, "AugMix")).share();
}

}  // namespace antler
