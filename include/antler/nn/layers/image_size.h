#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "antler/core/keyword.h"
#include "antler/nn/layer_of.h"
#include "antler/nn/layers/image_layer.h"

/// Layers of Keras 2 that give images a random size, and one that crops and resizes.
namespace antler {

/// Options of RandomHeight and RandomWidth.
struct RandomSizeOptions {
  /// The change of the size, as a fraction of it: f means [-f, f]. At least -1.
  FactorRange factor = {};
  std::string interpolation = "bilinear";  ///< "nearest", "bicubic", "area", "lanczos3", "lanczos5"
  std::optional<int64_t> seed = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Resizes all images of a batch to a random height, drawn at each call, in training only. The
/// shape of the result depends on the draw, so the layer cannot be part of a program that is
/// compiled for training. Use it in the data set: `images.map([=](const Nest& x) { return
/// layer(x); })`. Channels last.
class RandomHeight : public LayerOf<RandomHeight, RandomSizeOptions, ImageLayer> {
 public:
  explicit RandomHeight(FactorRange factor, RandomSizeOptions options = {});
  /// Throws ValueError for a factor whose ends are in the wrong order or below -1.
  explicit RandomHeight(const RandomSizeOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(RandomHeight, RandomSizeOptions, FactorRange)

 protected:
  /// Throws ValueError inside of a program, NotImplementedError for masks and boxes.
  ImageBatch transform_all(ImageBatch batch) override;
};

/// The same for widths.
class RandomWidth : public LayerOf<RandomWidth, RandomSizeOptions, ImageLayer> {
 public:
  explicit RandomWidth(FactorRange factor, RandomSizeOptions options = {});
  explicit RandomWidth(const RandomSizeOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(RandomWidth, RandomSizeOptions, FactorRange)

 protected:
  ImageBatch transform_all(ImageBatch batch) override;
};

}  // namespace antler
