// GaussianNoise, GaussianDropout.
#include <cmath>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layers/regularization.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/random.h"
#include "nn/layers/classes.h"
#include "nn/layers/drop.h"

namespace antler {

template <class V>
void fields(V& v, GaussianNoiseOptions& o) {
  v.required("stddev", o.stddev);
  v("seed", o.seed);
}

template <class V>
void fields(V& v, GaussianDropoutOptions& o) {
  v.required("rate", o.rate);
  v("seed", o.seed);
}

GaussianNoise::GaussianNoise(double stddev, GaussianNoiseOptions options)
    : GaussianNoise(by_position<&GaussianNoiseOptions::stddev>("GaussianNoise", std::move(options),
                                                               stddev)) {}

GaussianNoise::GaussianNoise(const GaussianNoiseOptions& options) : LayerOf(options) {
  check_part(options_.stddev, "stddev");
  if (options_.stddev > 0) seed_generator_ = track("seed_generator", SeedGenerator(options_.seed));
  set_supports_masking(true);
}

Tensor GaussianNoise::call(const Tensor& input, const CallOptions& options) {
  if (!options.training.value_or(false) || options_.stddev == 0) return input;
  return input + ops::random_normal(seed_generator_->next(), input.shape(), 0, options_.stddev,
                                    compute_dtype());
}

GaussianDropout::GaussianDropout(double rate, GaussianDropoutOptions options)
    : GaussianDropout(by_position<&GaussianDropoutOptions::rate>("GaussianDropout",
                                                                 std::move(options), rate)) {}

GaussianDropout::GaussianDropout(const GaussianDropoutOptions& options) : LayerOf(options) {
  check_part(options_.rate, "rate");
  if (options_.rate > 0) seed_generator_ = track("seed_generator", SeedGenerator(options_.seed));
  set_supports_masking(true);
}

Tensor GaussianDropout::call(const Tensor& input, const CallOptions& options) {
  const double rate = options_.rate;
  if (!options.training.value_or(false) || rate == 0) return input;
  if (rate == 1) {
    throw ValueError("GaussianDropout: with `rate` 1 the noise is infinite at layer \"{}\".",
                     name());
  }
  return input * ops::random_normal(seed_generator_->next(), input.shape(), 1,
                                    std::sqrt(rate / (1 - rate)), compute_dtype());
}

LayerClasses gaussian_noise_layers() { return layer_classes<GaussianNoise, GaussianDropout>(); }

}  // namespace antler
