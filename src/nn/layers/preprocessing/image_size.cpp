#include "antler/nn/layers/image_size.h"

#include <utility>

#include "antler/nn/by_position.h"
#include "antler/ops/image.h"
#include "nn/layers/classes.h"
#include "nn/layers/preprocessing/encode.h"
#include "nn/layers/preprocessing/image_support.h"

namespace antler {

template <class V>
void fields(V& v, RandomSizeOptions& o) {
  v("factor", o.factor);
  v("interpolation", o.interpolation);
  v("seed", o.seed);
}

namespace {

std::pair<double, double> change_of(const RandomSizeOptions& o) {
  if (!o.factor.given() || o.factor.values().size() > 2) {
    throw ValueError("`factor` must be a number or a list of two numbers.");
  }
  const double low = o.factor.is_range() ? o.factor.low() : -o.factor.low();
  const double high = o.factor.high();
  if (high < low) {
    throw ValueError(
        "`factor` argument cannot have an upper bound less than the lower bound. Received: "
        "factor=({}, {})",
        low, high);
  }
  if (low < -1.0) {
    throw ValueError("`factor` argument must have values of at least -1. Received: factor=({}, {})",
                     low, high);
  }
  return {low, high};
}

RandomSizeOptions checked_size(const char* layer, RandomSizeOptions o) {
  change_of(o);
  check_choice(layer, "interpolation", o.interpolation,
               {"bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5"});
  return o;
}

/// The product of a size and a random factor.
int64_t drawn_size(const Tensor& factor, int64_t size, const std::string& name) {
  if (!factor.is_value()) {
    throw ValueError(
        "Layer \"{}\" returns images of a random size, but compiled programs need fixed sizes. "
        "Apply the layer to the data set with map(), outside of the model.",
        name);
  }
  const auto drawn =
      static_cast<int64_t>(static_cast<float>(factor.item()) * static_cast<float>(size));
  if (drawn < 1) throw ValueError("Layer \"{}\": the resulting images would be empty.", name);
  return drawn;
}

/// The batch with the size of one axis, 1 or 2, multiplied by a random factor.
ImageBatch with_new_size(ImageBatch batch, int64_t axis, const Tensor& factor,
                         const std::string& interpolation, const std::string& name) {
  if (batch.masks.defined() || batch.boxes.defined()) {
    throw NotImplementedError("Layer \"{}\" can resize only images, not masks or bounding boxes.",
                              name);
  }
  std::pair<int64_t, int64_t> size = {batch.images.dim(1), batch.images.dim(2)};
  int64_t& changed = axis == 1 ? size.first : size.second;
  changed = drawn_size(factor, changed, name);
  batch.images = ops::resize(batch.images, size, {.interpolation = interpolation});
  return batch;
}

}  // namespace

RandomHeight::RandomHeight(FactorRange factor, RandomSizeOptions options)
    : RandomHeight(by_position<&RandomSizeOptions::factor>("RandomHeight", std::move(options),
                                                           std::move(factor))) {}
RandomHeight::RandomHeight(const RandomSizeOptions& options)
    : LayerOf(checked_size("RandomHeight", options), ImageFormats()) {
  use_seed(options.seed);
}
ImageBatch RandomHeight::transform_all(ImageBatch batch) {
  const auto [low, high] = change_of(options_);
  return with_new_size(std::move(batch), 1, uniform({}, 1 + low, 1 + high), options_.interpolation,
                       name());
}
RandomWidth::RandomWidth(FactorRange factor, RandomSizeOptions options)
    : RandomWidth(by_position<&RandomSizeOptions::factor>("RandomWidth", std::move(options),
                                                          std::move(factor))) {}
RandomWidth::RandomWidth(const RandomSizeOptions& options)
    : LayerOf(checked_size("RandomWidth", options), ImageFormats()) {
  use_seed(options.seed);
}
ImageBatch RandomWidth::transform_all(ImageBatch batch) {
  const auto [low, high] = change_of(options_);
  return with_new_size(std::move(batch), 2, uniform({}, 1 + low, 1 + high), options_.interpolation,
                       name());
}

LayerClasses image_size_layers() { return layer_classes<RandomHeight, RandomWidth>(); }

}  // namespace antler
