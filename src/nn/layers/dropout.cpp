// Dropout, AlphaDropout and the spatial dropouts.
#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layers/regularization.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/random.h"
#include "nn/layers/channels.h"
#include "nn/layers/classes.h"
#include "nn/layers/drop.h"

namespace antler {

template <class V>
void fields(V& v, DropoutOptions& o) {
  v.required("rate", o.rate);
  v("seed", o.seed);
  v.dims("noise_shape", o.noise_shape);
}

template <class V>
void fields(V& v, SpatialDropoutOptions& o) {
  v.required("rate", o.rate);
  v("seed", o.seed);
  v("data_format", o.data_format);
}

void check_part(double value, const char* what) {
  if (value >= 0 && value <= 1) return;
  throw ValueError(
      "Invalid value received for argument `{}`. Expected a float value between 0 and 1. Received: "
      "{}={}",
      what, what, value);
}

Shape noise_shape_of(const Shape& shape, const Shape& noise_shape, const char* layer) {
  if (noise_shape.rank() != shape.rank()) {
    throw ValueError(
        "{}: `noise_shape` must have one entry per dimension of the input. Received: "
        "noise_shape={}, input shape {}",
        layer, noise_shape, shape);
  }
  Shape result = shape;
  for (int i = 0; i < shape.rank(); ++i) {
    if (noise_shape[i] >= 0) result[i] = noise_shape[i];
  }
  return result;
}

Tensor random_keep(const SeedGenerator& seed, const Shape& shape, double rate) {
  // One comparison of random bits per element: rate * 2^32 of the 2^32 values mean "drop".
  const auto threshold = static_cast<uint32_t>(std::min(std::ldexp(rate, 32), 4294967295.0));
  const Tensor bits = ops::random_bits(seed.next(), shape);
  return ops::greater_equal(bits, Tensor::of<uint32_t>({threshold}, {}));
}

Tensor drop(const Tensor& x, const SeedGenerator& seed, const Shape& noise_shape, double rate) {
  if (rate == 1) return ops::zeros_like(x);
  const Tensor keep = random_keep(seed, noise_shape, rate);
  return ops::where(keep, x * Tensor(1 / (1 - rate)), Tensor(0.0));
}

namespace {

void check_noise_shape(const std::optional<Shape>& noise_shape) {
  if (!noise_shape) return;
  for (int i = 0; i < noise_shape->rank(); ++i) {
    if ((*noise_shape)[i] > 0 || (*noise_shape)[i] == Shape::kUnknown) continue;
    throw ValueError(
        "Invalid value received for argument `noise_shape`. Expected all dimensions to be positive "
        "integers or None. Received negative or zero value at index {}: {}",
        i, (*noise_shape)[i]);
  }
}

/// Constants of SELU.
constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluScale = 1.0507009873554804934193349852946;

}  // namespace

Dropout::Dropout(double rate, DropoutOptions options)
    : Dropout(by_position<&DropoutOptions::rate>("Dropout", std::move(options), rate)) {}

Dropout::Dropout() : Dropout(DropoutOptions{.rate = 0, .name = kUnassigned}) { set_unassigned(); }
Dropout::Dropout(const DropoutOptions& options) : LayerOf(options) {
  check_part(options_.rate, "rate");
  check_noise_shape(options_.noise_shape);
  if (options_.rate > 0) seed_generator_ = track("seed_generator", SeedGenerator(options_.seed));
  set_supports_masking(true);
}

Tensor Dropout::call(const Tensor& input, const CallOptions& options) {
  if (!options.training.value_or(false) || options_.rate == 0) return input;
  const Shape noise = options_.noise_shape
                          ? noise_shape_of(input.shape(), *options_.noise_shape, "Dropout")
                          : input.shape();
  return drop(input, *seed_generator_, noise, options_.rate);
}

AlphaDropout::AlphaDropout(double rate, DropoutOptions options)
    : AlphaDropout(by_position<&DropoutOptions::rate>("AlphaDropout", std::move(options), rate)) {}

AlphaDropout::AlphaDropout(const DropoutOptions& options) : LayerOf(options) {
  check_part(options_.rate, "rate");
  check_noise_shape(options_.noise_shape);
  if (options_.rate > 0) seed_generator_ = track("seed_generator", SeedGenerator(options_.seed));
  set_supports_masking(true);
}

Tensor AlphaDropout::call(const Tensor& input, const CallOptions& options) {
  const double rate = options_.rate;
  if (!options.training.value_or(false) || rate == 0) return input;
  const Shape noise = options_.noise_shape
                          ? noise_shape_of(input.shape(), *options_.noise_shape, "AlphaDropout")
                          : input.shape();
  const double floor = -kSeluAlpha * kSeluScale;
  const double a = 1 / std::sqrt((1 - rate) * (1 + rate * floor * floor));
  const double b = -a * floor * rate;
  const Tensor kept = ops::where(random_keep(*seed_generator_, noise, rate), input, Tensor(floor));
  return kept * Tensor(a) + Tensor(b);
}

BaseSpatialDropout::BaseSpatialDropout(int rank, const char* class_name,
                                       const SpatialDropoutOptions& options)
    : Layer(class_name, base_options(options)), rank_(rank), options_(options) {
  check_part(options_.rate, "rate");
  is_channels_first(options_.data_format, class_name);
  if (rank == 1) options_.data_format = "channels_last";
  if (options_.rate > 0) seed_generator_ = track("seed_generator", SeedGenerator(options_.seed));
  set_input_spec({.ndim = rank + 2});
  set_supports_masking(true);
}

Tensor BaseSpatialDropout::call(const Tensor& input, const CallOptions& options) {
  if (!options.training.value_or(false) || options_.rate == 0) return input;
  Shape noise = input.shape();
  const int first = is_channels_first(options_.data_format, class_name()) ? 2 : 1;
  for (int i = 0; i < rank_; ++i) noise[first + i] = 1;
  return drop(input, *seed_generator_, noise, options_.rate);
}

Json BaseSpatialDropout::get_config() const {
  // Keras writes only these fields.
  Json config = Json::object();
  config["rate"] = options_.rate;
  config["seed"] = options_.seed ? Json(*options_.seed) : Json(nullptr);
  config["name"] = name();
  config["dtype"] = dtype_name(variable_dtype());
  if (rank_ > 1) config["data_format"] = options_.data_format;
  return config;
}

SpatialDropout1D::SpatialDropout1D(double rate, SpatialDropoutOptions options)
    : SpatialDropout1D(by_position<&SpatialDropoutOptions::rate>("SpatialDropout1D",
                                                                 std::move(options), rate)) {}
SpatialDropout1D::SpatialDropout1D(const SpatialDropoutOptions& options)
    : LayerBase(1, "SpatialDropout1D", options) {}
SpatialDropout2D::SpatialDropout2D(double rate, SpatialDropoutOptions options)
    : SpatialDropout2D(by_position<&SpatialDropoutOptions::rate>("SpatialDropout2D",
                                                                 std::move(options), rate)) {}
SpatialDropout2D::SpatialDropout2D(const SpatialDropoutOptions& options)
    : LayerBase(2, "SpatialDropout2D", options) {}
SpatialDropout3D::SpatialDropout3D(double rate, SpatialDropoutOptions options)
    : SpatialDropout3D(by_position<&SpatialDropoutOptions::rate>("SpatialDropout3D",
                                                                 std::move(options), rate)) {}
SpatialDropout3D::SpatialDropout3D(const SpatialDropoutOptions& options)
    : LayerBase(3, "SpatialDropout3D", options) {}

LayerClasses dropout_layers() {
  static constexpr LayerClass kClasses[] = {
      layer_class<Dropout>(),
      layer_class<SpatialDropout1D, SpatialDropoutOptions>(),
      layer_class<SpatialDropout2D, SpatialDropoutOptions>(),
      layer_class<SpatialDropout3D, SpatialDropoutOptions>(),
      layer_class<AlphaDropout>(),
  };
  return kClasses;
}

}  // namespace antler
