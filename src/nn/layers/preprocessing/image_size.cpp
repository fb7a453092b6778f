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
    throw ValueError("`factor` must be a number or a list of two.");
  }
  const double low = o.factor.is_range() ? o.factor.low() : 0.0 - o.factor.low();
  const double high = o.factor.high();
  if (high < low) {
    throw ValueError(
        "`factor` argument cannot have an upper bound less than the lower bound. Received: "
        "factor=({}, {})",
        low, high);
  }
  if (low < -1.0) {
    throw ValueError("`factor` argument must have values larger than -1. Received: factor=({}, {})",
                     low, high);
  }
  return {low, high};
}

RandomSizeOptions checked_size(RandomSizeOptions o) {
  change_of(o);
  check_choice("RandomHeight or RandomWidth", "interpolation", o.interpolation,
               {"bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5"});
  return o;
}

/// The size that a random fraction of `size` gives.
int64_t drawn_size(const Tensor& part, int64_t size, const std::string& name) {
  if (!part.is_value()) {
    throw ValueError(
        "Layer \"{}\" returns images of a random size, but a program that is compiled for "
        "training has fixed sizes. Call the layer on the images of the data set.",
        name);
  }
  const auto drawn =
      static_cast<int64_t>(static_cast<float>(part.item()) * static_cast<float>(size));
  if (drawn < 1) throw ValueError("Layer \"{}\": the resulting images would be empty.", name);
  return drawn;
}

void images_only(const ImageBatch& batch, const Layer& layer) {
  if (batch.masks.defined() || batch.boxes.defined()) {
    throw NotImplementedError("Layer \"{}\" can resize only images, not masks or bounding boxes.",
                              layer.name());
  }
}

}  // namespace

RandomHeight::RandomHeight(FactorRange factor, RandomSizeOptions options)
    : RandomHeight(by_position<&RandomSizeOptions::factor>("RandomHeight", std::move(options),
                                                           std::move(factor))) {}
RandomHeight::RandomHeight(const RandomSizeOptions& options)
    : LayerOf(checked_size(options), ImageFormats()) {
  use_seed(options.seed);
}
ImageBatch RandomHeight::transform_all(ImageBatch batch) {
  images_only(batch, *this);
  const Tensor& images = batch.images;
  const auto [low, high] = change_of(options_);
  const int64_t height = drawn_size(uniform({}, 1 + low, 1 + high), images.dim(1), name());
  batch.images =
      ops::resize(images, {height, images.dim(2)}, {.interpolation = options_.interpolation});
  return batch;
}
RandomWidth::RandomWidth(FactorRange factor, RandomSizeOptions options)
    : RandomWidth(by_position<&RandomSizeOptions::factor>("RandomWidth", std::move(options),
                                                          std::move(factor))) {}
RandomWidth::RandomWidth(const RandomSizeOptions& options)
    : LayerOf(checked_size(options), ImageFormats()) {
  use_seed(options.seed);
}
ImageBatch RandomWidth::transform_all(ImageBatch batch) {
  images_only(batch, *this);
  const Tensor& images = batch.images;
  const auto [low, high] = change_of(options_);
  const int64_t width = drawn_size(uniform({}, 1 + low, 1 + high), images.dim(2), name());
  batch.images =
      ops::resize(images, {images.dim(1), width}, {.interpolation = options_.interpolation});
  return batch;
}

LayerClasses image_size_layers() { return layer_classes<RandomHeight, RandomWidth>(); }

}  // namespace antler
