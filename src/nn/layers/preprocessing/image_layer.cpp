#include "antler/nn/layers/image_layer.h"

#include <algorithm>
#include <cmath>

#include "antler/ops/elementwise.h"
#include "antler/ops/random.h"
#include "antler/ops/shape.h"
#include "nn/layer_state.h"
#include "nn/layers/channels.h"
#include "nn/layers/preprocessing/image_support.h"
#include "nn/list_field.h"

namespace antler {

ImageLayer::ImageLayer(std::string class_name, const LayerOptions& options,
                       const std::optional<std::string>& data_format, When when)
    : Layer(std::move(class_name), options), when_(when) {
  channels_first_ = antler::is_channels_first(data_format.value_or("channels_last"), name());
  LayerInternals::state(*this).trains_by_default = true;
}

void ImageLayer::keep_integers(bool in_training) {
  keeps_integers_ = true;
  keeps_integers_in_training_ = in_training;
}

void ImageLayer::use_seed(const std::optional<int64_t>& seed) {
  seed_generator_ = track("seed_generator", SeedGenerator(seed));
}

Tensor ImageLayer::next_seed() const { return seed_generator_->next(); }

Tensor ImageLayer::uniform(const Shape& shape, double low, double high) const {
  return ops::random_uniform(next_seed(), shape, low, high);
}

Tensor ImageLayer::normal(const Shape& shape) const {
  return ops::random_normal(next_seed(), shape);
}

Tensor ImageLayer::call(const Tensor& input, const CallOptions& options) {
  if (input.rank() != 3 && input.rank() != 4) {
    throw ValueError(
        "Expected image tensor to have rank 3 (single image) or 4 (batch of images). Received: "
        "data.shape=" +
        input.shape().str());
  }
  const bool training = options.training.value_or(true);
  const bool integers = is_integer(input.dtype()) && keeps_integers_;
  if (when_ == When::training && !training && integers) return input;
  Tensor x = ops::cast(input, compute_dtype());
  if (when_ == When::training && !training) return x;
  const bool single = x.rank() == 3;
  if (single) x = ops::expand_dims(x, 0);
  if (channels_first_) x = channels_to_last(x);
  x = transform(x);
  if (channels_first_) x = channels_to_first(x);
  if (single) x = ops::squeeze(x, 0);
  return ops::cast(x, integers && keeps_integers_in_training_ ? input.dtype() : compute_dtype());
}

void write_field(Json& out, const FactorRange& value) {
  if (!value.given()) {
    out = nullptr;
  } else if (value.is_range()) {
    out = value.values();
  } else {
    out = value.low();
  }
}

void read_field(const Json& in, FactorRange& value) {
  if (in.is_number()) {
    value = in.get<double>();
  } else if (in.is_null()) {
    value = {};
  } else {
    std::vector<double> range;
    ListField<std::vector<double>> field{range};
    read_field(in, field);
    value = std::move(range);
  }
}

namespace {

[[noreturn]] void throw_factor(const char* name, const FactorRange& factor, FactorBounds bounds) {
  std::string received;
  for (const double value : factor.values()) {
    received += (received.empty() ? "" : ", ") + std::to_string(value);
  }
  throw ValueError("The `" + std::string(name) +
                   "` argument should be a number (or a list of two numbers) in the range [" +
                   std::to_string(bounds.low) + ", " + std::to_string(bounds.high) +
                   "]. Received: " + name + "=" + received);
}

}  // namespace

FactorRange checked_factor(const FactorRange& factor, FactorBounds bounds) {
  if (!factor.given()) return {std::max(0.0, bounds.low), std::max(0.0, bounds.low)};
  if (factor.is_range()) {
    const std::vector<double>& v = factor.values();
    if (v.size() != 2 || v[0] > bounds.high || v[1] < bounds.low) {
      throw_factor("factor", factor, bounds);
    }
    return {std::min(v[0], v[1]), std::max(v[0], v[1])};
  }
  const double f = factor.low();
  if (f < bounds.low || f > bounds.high) throw_factor("factor", factor, bounds);
  return {std::max(0.0 - std::abs(f), bounds.low), std::abs(f)};
}

FactorRange symmetric_factor(const char* name, const FactorRange& factor, FactorBounds bounds) {
  if (!factor.given() || factor.values().size() > 2) throw_factor(name, factor, bounds);
  for (const double f : factor.values()) {
    if (f < bounds.low || f > bounds.high) throw_factor(name, factor, bounds);
  }
  if (!factor.is_range()) return {0.0 - std::abs(factor.low()), std::abs(factor.low())};
  return {std::min(factor.low(), factor.high()), std::max(factor.low(), factor.high())};
}

std::vector<double> checked_value_range(std::vector<double> range) {
  if (range.size() != 2) {
    throw ValueError("The `value_range` argument should be a list of two numbers. Received: " +
                     std::to_string(range.size()) + " numbers.");
  }
  std::sort(range.begin(), range.end());
  return range;
}

void check_fill_mode(const std::string& fill_mode) {
  for (const char* known : {"reflect", "wrap", "constant", "nearest"}) {
    if (fill_mode == known) return;
  }
  throw NotImplementedError("Unknown `fill_mode` " + fill_mode +
                            ". Expected of one ('reflect', 'wrap', 'constant', 'nearest').");
}

void check_interpolation(const std::string& interpolation) {
  if (interpolation == "nearest" || interpolation == "bilinear") return;
  throw NotImplementedError("Unknown `interpolation` " + interpolation +
                            ". Expected of one ('nearest', 'bilinear').");
}

}  // namespace antler
