#include <algorithm>
#include <cmath>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/layers/regularization.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/random.h"
#include "antler/ops/shape.h"
#include "nn/fields.h"
#include "nn/layers/list.h"

namespace antler {

template <class V>
void fields(V& v, DropoutOptions& o) {
  v("rate", o.rate);
  v("seed", o.seed);
  v("noise_shape", o.noise_shape);
}

namespace {

DropoutOptions with_rate(DropoutOptions options, double rate) {
  options.rate = rate;
  return options;
}

}  // namespace

Dropout::Dropout(double rate, DropoutOptions options)
    : Dropout(with_rate(std::move(options), rate)) {}

Dropout::Dropout(const DropoutOptions& options)
    : LayerBase("Dropout", base_options(options)), options_(options) {
  if (!(options_.rate >= 0 && options_.rate <= 1)) {
    throw ValueError(
        "Invalid value received for argument `rate`. Expected a float value between 0 and 1. "
        "Received: "
        "rate=" +
        std::to_string(options_.rate));
  }
  if (options_.rate > 0) seed_generator_ = track("seed_generator", SeedGenerator(options_.seed));
  set_supports_masking(true);
}

Tensor Dropout::call(const Tensor& input, const CallOptions& options) {
  if (!options.training.value_or(false) || options_.rate == 0) return input;
  if (options_.rate == 1) return ops::zeros_like(input);
  Shape shape = input.shape();
  if (options_.noise_shape) {
    const std::vector<int64_t>& noise = *options_.noise_shape;
    if (static_cast<int>(noise.size()) != input.rank()) {
      throw ValueError(
          "Dropout: `noise_shape` must have one entry per dimension of the input. Received: "
          "noise_shape=" +
          Shape(noise).str() + ", input shape " + shape.str());
    }
    for (int i = 0; i < shape.rank(); ++i) {
      if (noise[static_cast<size_t>(i)] >= 0) shape[i] = noise[static_cast<size_t>(i)];
    }
  }
  // One comparison of raw bits per element: of 2^32 patterns, rate * 2^32 mean "drop".
  const auto threshold =
      static_cast<uint32_t>(std::min(std::ldexp(options_.rate, 32), 4294967295.0));
  const Tensor bits = ops::random_bits(seed_generator_->next(), shape);
  const Tensor keep = ops::greater_equal(bits, Tensor::of<uint32_t>({threshold}, {}));
  return ops::where(keep, input * Tensor(1 / (1 - options_.rate)), Tensor(0.0));
}

Json Dropout::get_config() const { return config_of(*this, options_); }

LayerPtr dropout_from_config(const Json& config) {
  return Dropout(options_from<DropoutOptions>(config, "Dropout")).share();
}

}  // namespace antler
