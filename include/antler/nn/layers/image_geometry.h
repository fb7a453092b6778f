#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/base/string_like.h"
#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layer_of.h"
#include "antler/nn/layers/image_layer.h"

/// Layers that move the pixels of images. Random layers act in training only, with a different
/// amount for each image.
namespace antler {

/// Options of Resizing.
struct ResizingOptions {
  int64_t height = 0;                           ///< of the result
  int64_t width = 0;                            ///< of the result
  std::string interpolation = "bilinear";       ///< "nearest", "bicubic", "lanczos3", "lanczos5"
  bool crop_to_aspect_ratio = false;            ///< crops the center first
  bool pad_to_aspect_ratio = false;             ///< pads first
  std::string fill_mode = "constant";           ///< the only mode
  double fill_value = 0;                        ///< for "constant"
  bool antialias = false;                       ///< widens the filter when shrinking
  std::optional<std::string> data_format = {};  ///< "channels_last" (default) or "channels_first"
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Resizes images, in training and inference. Images of integers stay integers, rounded.
class Resizing : public LayerOf<Resizing, ResizingOptions, ImageLayer> {
 public:
  Resizing(int64_t height, int64_t width, ResizingOptions options = {});
  explicit Resizing(const ResizingOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(Resizing, ResizingOptions, int64_t, int64_t)
  ANTLER_KEYWORD_CONSTRUCTOR_AFTER(Resizing, ResizingOptions, int64_t, height)

 protected:
  ImageBatch transform_all(ImageBatch batch) override;
  Tensor finish(const Tensor& images, DType given) const override;
};

/// Options of CenterCrop.
struct CenterCropOptions {
  int64_t height = 0;                           ///< of the result
  int64_t width = 0;                            ///< of the result
  std::optional<std::string> data_format = {};  ///< "channels_last" (default) or "channels_first"
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Crops the center, in training and inference. Smaller images are cropped to the aspect ratio and
/// resized.
class CenterCrop : public LayerOf<CenterCrop, CenterCropOptions, ImageLayer> {
 public:
  CenterCrop(int64_t height, int64_t width, CenterCropOptions options = {});
  explicit CenterCrop(const CenterCropOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(CenterCrop, CenterCropOptions, int64_t, int64_t)
  ANTLER_KEYWORD_CONSTRUCTOR_AFTER(CenterCrop, CenterCropOptions, int64_t, height)

 protected:
  ImageBatch transform_all(ImageBatch batch) override;
};

/// Options of RandomCrop.
struct RandomCropOptions {
  int64_t height = 0;  ///< of the result
  int64_t width = 0;   ///< of the result
  std::optional<int64_t> seed = {};
  std::optional<std::string> data_format = {};  ///< "channels_last" (default) or "channels_first"
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Crops a random part, the same for all images of a batch. Smaller images are resized. Returns
/// images unchanged outside of training.
class RandomCrop : public LayerOf<RandomCrop, RandomCropOptions, ImageLayer> {
 public:
  RandomCrop(int64_t height, int64_t width, RandomCropOptions options = {});
  explicit RandomCrop(const RandomCropOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(RandomCrop, RandomCropOptions, int64_t, int64_t)
  ANTLER_KEYWORD_CONSTRUCTOR_AFTER(RandomCrop, RandomCropOptions, int64_t, height)

 protected:
  ImageBatch transform_all(ImageBatch batch) override;
};

/// Options of RandomFlip.
struct RandomFlipOptions {
  std::string mode = "horizontal_and_vertical";  ///< or "horizontal", "vertical"
  std::optional<int64_t> seed = {};
  std::optional<std::string> data_format = {};  ///< "channels_last" (default) or "channels_first"
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Flips each image with probability 1/2.
class RandomFlip : public LayerOf<RandomFlip, RandomFlipOptions, ImageLayer> {
 public:
  explicit RandomFlip(const RandomFlipOptions& options = {});
  template <StringLike S>
  explicit RandomFlip(const S& mode, RandomFlipOptions options = {})
      : RandomFlip(by_position<&RandomFlipOptions::mode>("RandomFlip", std::move(options),
                                                         std::string(mode))) {}
  ANTLER_KEYWORD_CONSTRUCTORS_LIKE(RandomFlip, RandomFlipOptions, std::string)

 protected:
  ImageBatch transform_all(ImageBatch batch) override;
};

/// Options of RandomRotation.
struct RandomRotationOptions {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  FactorRange factor = {};                 ///< in full turns; f means [-f, f]
  std::string fill_mode = "reflect";       ///< or "wrap", "constant", "nearest"
  std::string interpolation = "bilinear";  ///< or "nearest"
  std::optional<int64_t> seed = {};
  double fill_value = 0;                        ///< under "constant"
  std::optional<std::string> data_format = {};  ///< "channels_last" (default) or "channels_first"
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Rotates images about their center.
class RandomRotation : public LayerOf<RandomRotation, RandomRotationOptions, ImageLayer> {
 public:
  // A template, because g++ would also convert options in braces to a range.
  template <class Range = FactorRange>
  explicit RandomRotation(const std::type_identity_t<Range>& factor,
                          RandomRotationOptions options = {})
      : RandomRotation(by_position<&RandomRotationOptions::factor>("RandomRotation",
                                                                   std::move(options), factor)) {}
  explicit RandomRotation(const RandomRotationOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(RandomRotation, RandomRotationOptions, FactorRange)

 protected:
  ImageBatch transform_all(ImageBatch batch) override;
};

/// Options of RandomTranslation.
struct RandomTranslationOptions {
  FactorRange height_factor = {};          ///< times the height; f means [-f, f], within [-1, 1]
  FactorRange width_factor = {};           ///< times the width; likewise
  std::string fill_mode = "reflect";       ///< or "wrap", "constant", "nearest"
  std::string interpolation = "bilinear";  ///< or "nearest"
  std::optional<int64_t> seed = {};
  double fill_value = 0;                        ///< under "constant"
  std::optional<std::string> data_format = {};  ///< "channels_last" (default) or "channels_first"
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Shifts images down and to the right.
class RandomTranslation : public LayerOf<RandomTranslation, RandomTranslationOptions, ImageLayer> {
 public:
  RandomTranslation(FactorRange height_factor, FactorRange width_factor,
                    RandomTranslationOptions options = {});
  explicit RandomTranslation(const RandomTranslationOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(RandomTranslation, RandomTranslationOptions, FactorRange, FactorRange)
  ANTLER_KEYWORD_CONSTRUCTOR_AFTER(RandomTranslation, RandomTranslationOptions, FactorRange,
                                   height_factor)

 protected:
  ImageBatch transform_all(ImageBatch batch) override;
};

/// Options of RandomZoom.
struct RandomZoomOptions {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  FactorRange height_factor = {};          ///< above 0 shrinks; f means [-f, f], within (-1, 1]
  FactorRange width_factor = {};           ///< not given: the same as for the height
  std::string fill_mode = "reflect";       ///< or "wrap", "constant", "nearest"
  std::string interpolation = "bilinear";  ///< or "nearest"
  std::optional<int64_t> seed = {};
  double fill_value = 0;                        ///< under "constant"
  std::optional<std::string> data_format = {};  ///< "channels_last" (default) or "channels_first"
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Zooms images out or in about their center.
class RandomZoom : public LayerOf<RandomZoom, RandomZoomOptions, ImageLayer> {
 public:
  // A template, because g++ would also convert options in braces to a range.
  template <class Range = FactorRange>
  explicit RandomZoom(const std::type_identity_t<Range>& height_factor,
                      RandomZoomOptions options = {})
      : RandomZoom(by_position<&RandomZoomOptions::height_factor>("RandomZoom", std::move(options),
                                                                  height_factor)) {}
  explicit RandomZoom(const RandomZoomOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(RandomZoom, RandomZoomOptions, FactorRange)

 protected:
  ImageBatch transform_all(ImageBatch batch) override;
};

/// Options of RandomShear.
struct RandomShearOptions {
  FactorRange x_factor = 0.0;                   ///< within [0, 1]; in either direction
  FactorRange y_factor = 0.0;                   ///< the same along the other axis
  std::string interpolation = "bilinear";       ///< "bilinear" or "nearest"
  std::string fill_mode = "reflect";            ///< "constant", "nearest", "wrap" or "reflect"
  double fill_value = 0;                        ///< for "constant"
  std::optional<std::string> data_format = {};  ///< "channels_last" (default) or "channels_first"
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<int64_t> seed = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Shears images.
class RandomShear : public LayerOf<RandomShear, RandomShearOptions, ImageLayer> {
 public:
  explicit RandomShear(const RandomShearOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(RandomShear, RandomShearOptions)

 protected:
  ImageBatch transform_all(ImageBatch batch) override;
};

/// Options of RandomPerspective.
struct RandomPerspectiveOptions {
  FactorRange factor = 1.0;                ///< probability, within [0, 1]
  double scale = 1.0;                      ///< how far corners move, in [0, 1]
  std::string interpolation = "bilinear";  ///< "bilinear" or "nearest"
  double fill_value = 0;                   ///< for "constant"
  std::optional<int64_t> seed = {};
  std::optional<std::string> data_format = {};  ///< "channels_last" (default) or "channels_first"
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Applies a random perspective transform.
class RandomPerspective : public LayerOf<RandomPerspective, RandomPerspectiveOptions, ImageLayer> {
 public:
  explicit RandomPerspective(const RandomPerspectiveOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(RandomPerspective, RandomPerspectiveOptions)

 protected:
  ImageBatch transform_all(ImageBatch batch) override;
};

/// Options of RandomElasticTransform.
struct RandomElasticTransformOptions {
  FactorRange factor = 1.0;                    ///< probability, within [0, 1]
  FactorRange scale = 1.0;                     ///< strength, within [0, 1]
  std::string interpolation = "bilinear";      ///< "bilinear" or "nearest"
  std::string fill_mode = "reflect";           ///< "constant", "nearest", "wrap" or "reflect"
  double fill_value = 0;                       ///< for "constant"
  std::vector<double> value_range = {0, 255};  ///< smallest and largest value of images
  std::optional<int64_t> seed = {};
  std::optional<std::string> data_format = {};  ///< "channels_last" (default) or "channels_first"
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Bends images by a smooth random field (Simard et al. 2003).
class RandomElasticTransform
    : public LayerOf<RandomElasticTransform, RandomElasticTransformOptions, ImageLayer> {
 public:
  explicit RandomElasticTransform(const RandomElasticTransformOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(RandomElasticTransform, RandomElasticTransformOptions)

 protected:
  ImageBatch transform_all(ImageBatch batch) override;
};

}  // namespace antler
