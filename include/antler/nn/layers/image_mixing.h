#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/nn/layer_of.h"
#include "antler/nn/layers/image_color.h"
#include "antler/nn/layers/image_geometry.h"
#include "antler/nn/layers/image_layer.h"

/// Layers that mix images with others, with noise, or with changed versions of themselves. In
/// training only.
namespace antler {

/// Options of RandomErasing.
struct RandomErasingOptions {
  FactorRange factor = 1.0;                    ///< probability, within [0, 1]
  FactorRange scale = {0.02, 0.33};            ///< fraction of the image to erase, within [0, 1]
  std::optional<double> fill_value = {};       ///< not given: noise
  std::vector<double> value_range = {0, 255};  ///< smallest and largest possible value
  std::optional<int64_t> seed = {};
  /// "channels_last" or "channels_first"; not given: the global setting.
  std::optional<std::string> data_format = {};
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Fills a rectangle of each image (Zhong et al. 2017).
class RandomErasing : public LayerOf<RandomErasing, RandomErasingOptions, ImageLayer> {
 public:
  explicit RandomErasing(const RandomErasingOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(RandomErasing, RandomErasingOptions)

 protected:
  Tensor transform(const Tensor& images) override;
};

/// Options of RandomGaussianBlur.
struct RandomGaussianBlurOptions {
  FactorRange factor = 1.0;                    ///< probability, within [0, 1]
  std::vector<int64_t> kernel_size = {3};      ///< one or two (across, down) odd numbers
  FactorRange sigma = 1.0;                     ///< within [0, 1]; s means [0, s]
  std::vector<double> value_range = {0, 255};  ///< smallest and largest possible value
  /// "channels_last" or "channels_first"; not given: the global setting.
  std::optional<std::string> data_format = {};
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<int64_t> seed = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Blurs images, all with the same kernel.
class RandomGaussianBlur
    : public LayerOf<RandomGaussianBlur, RandomGaussianBlurOptions, ImageLayer> {
 public:
  explicit RandomGaussianBlur(const RandomGaussianBlurOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(RandomGaussianBlur, RandomGaussianBlurOptions)

 protected:
  Tensor transform(const Tensor& images) override;
};

/// Options of CutMix.
struct CutMixOptions {
  FactorRange factor = 1.0;  ///< parameter of the beta distribution of the kept fraction, in [0, 1]
  std::optional<int64_t> seed = {};
  /// "channels_last" or "channels_first"; not given: the global setting.
  std::optional<std::string> data_format = {};
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Pastes a rectangle of another image of the batch (Yun et al. 2019).
class CutMix : public LayerOf<CutMix, CutMixOptions, ImageLayer> {
 public:
  explicit CutMix(const CutMixOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(CutMix, CutMixOptions)

 protected:
  ImageBatch transform_all(ImageBatch batch) override;
};

/// Options of MixUp.
struct MixUpOptions {
  double alpha = 0.2;  ///< parameter of the beta distribution of the weights
  /// "channels_last" or "channels_first"; not given: the global setting.
  std::optional<std::string> data_format = {};
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<int64_t> seed = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// w x + (1 - w) x', where x' is another image of the batch (Zhang et al. 2017).
class MixUp : public LayerOf<MixUp, MixUpOptions, ImageLayer> {
 public:
  explicit MixUp(const MixUpOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(MixUp, MixUpOptions)

 protected:
  ImageBatch transform_all(ImageBatch batch) override;
};

/// Options of RandAugment.
struct RandAugmentOptions {
  std::vector<double> value_range = {0, 255};  ///< smallest and largest possible value
  int64_t num_ops = 2;                         ///< changes per call
  FactorRange factor = 0.5;                    ///< strength of each, within [0, 1]
  std::string interpolation = "bilinear";      ///< "bilinear" or "nearest"
  std::optional<int64_t> seed = {};
  /// "channels_last" or "channels_first"; not given: the global setting.
  std::optional<std::string> data_format = {};
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Applies some of eleven transforms, drawn at each call (Cubuk et al. 2019).
class RandAugment : public LayerOf<RandAugment, RandAugmentOptions, ImageLayer> {
 public:
  explicit RandAugment(const RandAugmentOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(RandAugment, RandAugmentOptions)

 protected:
  ImageBatch transform_all(ImageBatch batch) override;

 private:
  std::vector<LayerPtr> changes_;
};

/// Options of AugMix.
struct AugMixOptions {
  std::vector<double> value_range = {0, 255};  ///< smallest and largest possible value
  int64_t num_chains = 3;                      ///< chains of augmentations that are mixed
  int64_t chain_depth = 3;                     ///< changes per chain
  FactorRange factor = 0.3;                    ///< strength of each, within [0, 1]
  double alpha = 1.0;                          ///< parameter of the distributions of the weights
  bool all_ops = true;                         ///< also brightness, color, contrast and sharpness
  std::string interpolation = "bilinear";      ///< "bilinear" or "nearest"
  std::optional<int64_t> seed = {};
  /// "channels_last" or "channels_first"; not given: the global setting.
  std::optional<std::string> data_format = {};
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Mixes an image with versions of itself, each made by a chain of transforms (Hendrycks et al.
/// 2019). The transforms of a chain are drawn at each step.
class AugMix : public LayerOf<AugMix, AugMixOptions, ImageLayer> {
 public:
  explicit AugMix(const AugMixOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(AugMix, AugMixOptions)

 protected:
  ImageBatch transform_all(ImageBatch batch) override;

 private:
  std::vector<LayerPtr> changes_;
};

/// Options of MaxNumBoundingBoxes.
struct MaxNumBoundingBoxesOptions {
  int64_t max_number = 0;   ///< boxes per image
  int64_t fill_value = -1;  ///< of missing boxes
  /// "channels_last" or "channels_first"; not given: the global setting.
  std::optional<std::string> data_format = {};
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Limits or pads the number of boxes per image. The images are unchanged.
class MaxNumBoundingBoxes
    : public LayerOf<MaxNumBoundingBoxes, MaxNumBoundingBoxesOptions, ImageLayer> {
 public:
  explicit MaxNumBoundingBoxes(int64_t max_number, MaxNumBoundingBoxesOptions options = {});
  explicit MaxNumBoundingBoxes(const MaxNumBoundingBoxesOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(MaxNumBoundingBoxes, MaxNumBoundingBoxesOptions, int64_t)

 protected:
  ImageBatch transform_all(ImageBatch batch) override;
};

/// Options of Pipeline.
struct PipelineOptions {
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Calls a sequence of layers.
class Pipeline : public LayerBase<Pipeline> {
 public:
  explicit Pipeline(std::vector<LayerPtr> layers, const PipelineOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Pipeline, PipelineOptions, std::vector<LayerPtr>)
  const std::vector<LayerPtr>& layers() const { return layers_; }
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Nest call(const Nest& inputs, const CallOptions& options) override;
  Json get_config() const override;

 private:
  std::vector<LayerPtr> layers_;
};

}  // namespace antler
