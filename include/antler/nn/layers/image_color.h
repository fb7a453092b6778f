#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layer_of.h"
#include "antler/nn/layers/image_layer.h"

/// Layers that change the colors of images. Unless noted, they act in training only, with a
/// different random amount for each image.
namespace antler {

/// Options of layers with a factor and a range of values.
struct ColorFactorOptions {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  FactorRange factor = {};                      ///< strength; see the class
  std::vector<double> value_range = {0, 255};   ///< smallest and largest value of images
  std::optional<std::string> data_format = {};  ///< "channels_last" (default) or "channels_first"
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<int64_t> seed = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Adds a random fraction of the value range, drawn from `factor`; f means [-f, f], within [-1, 1].
class RandomBrightness : public LayerBase<RandomBrightness, ImageLayer> {
 public:
  // A template, because g++ would also convert options in braces to a range.
  template <class Range = FactorRange>
  explicit RandomBrightness(const std::type_identity_t<Range>& factor,
                            ColorFactorOptions options = {})
      : RandomBrightness(by_position<&ColorFactorOptions::factor>("RandomBrightness",
                                                                  std::move(options), factor)) {}
  explicit RandomBrightness(const ColorFactorOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(RandomBrightness, ColorFactorOptions, FactorRange)
  Json get_config() const override;

 protected:
  ImageBatch transform_all(ImageBatch batch) override;

 private:
  ColorFactorOptions options_;
};

/// (x - mean) c + mean, with random c in [1 - factor[0], 1 + factor[1]] and the mean over height
/// and width; factor within [0, 1].
class RandomContrast : public LayerOf<RandomContrast, ColorFactorOptions, ImageLayer> {
 public:
  // A template, because g++ would also convert options in braces to a range.
  template <class Range = FactorRange>
  explicit RandomContrast(const std::type_identity_t<Range>& factor,
                          ColorFactorOptions options = {})
      : RandomContrast(by_position<&ColorFactorOptions::factor>("RandomContrast",
                                                                std::move(options), factor)) {}
  explicit RandomContrast(const ColorFactorOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(RandomContrast, ColorFactorOptions, FactorRange)

 protected:
  Tensor transform(const Tensor& images) override;
};

/// Mixes with the grey image: x + factor (grey - x).
class RandomColorDegeneration : public LayerBase<RandomColorDegeneration, ImageLayer> {
 public:
  // A template, because g++ would also convert options in braces to a range.
  template <class Range = FactorRange>
  explicit RandomColorDegeneration(const std::type_identity_t<Range>& factor,
                                   ColorFactorOptions options = {})
      : RandomColorDegeneration(by_position<&ColorFactorOptions::factor>(
            "RandomColorDegeneration", std::move(options), factor)) {}
  explicit RandomColorDegeneration(const ColorFactorOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(RandomColorDegeneration, ColorFactorOptions, FactorRange)
  Json get_config() const override;

 protected:
  Tensor transform(const Tensor& images) override;

 private:
  ColorFactorOptions options_;
};

/// Multiplies the saturation by f / (1 - f): 0.5 changes nothing.
class RandomSaturation : public LayerBase<RandomSaturation, ImageLayer> {
 public:
  // A template, because g++ would also convert options in braces to a range.
  template <class Range = FactorRange>
  explicit RandomSaturation(const std::type_identity_t<Range>& factor,
                            ColorFactorOptions options = {})
      : RandomSaturation(by_position<&ColorFactorOptions::factor>("RandomSaturation",
                                                                  std::move(options), factor)) {}
  explicit RandomSaturation(const ColorFactorOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(RandomSaturation, ColorFactorOptions, FactorRange)
  Json get_config() const override;

 protected:
  Tensor transform(const Tensor& images) override;

 private:
  ColorFactorOptions options_;
};

/// Rotates the hue by up to half of `factor` in either direction; factor within [0, 1].
class RandomHue : public LayerOf<RandomHue, ColorFactorOptions, ImageLayer> {
 public:
  // A template, because g++ would also convert options in braces to a range.
  template <class Range = FactorRange>
  explicit RandomHue(const std::type_identity_t<Range>& factor, ColorFactorOptions options = {})
      : RandomHue(
            by_position<&ColorFactorOptions::factor>("RandomHue", std::move(options), factor)) {}
  explicit RandomHue(const ColorFactorOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(RandomHue, ColorFactorOptions, FactorRange)

 protected:
  Tensor transform(const Tensor& images) override;
};

/// Moves away from the smoothed image: 0 smooths, 0.5 changes nothing, 1 sharpens.
class RandomSharpness : public LayerOf<RandomSharpness, ColorFactorOptions, ImageLayer> {
 public:
  // A template, because g++ would also convert options in braces to a range.
  template <class Range = FactorRange>
  explicit RandomSharpness(const std::type_identity_t<Range>& factor,
                           ColorFactorOptions options = {})
      : RandomSharpness(by_position<&ColorFactorOptions::factor>("RandomSharpness",
                                                                 std::move(options), factor)) {}
  explicit RandomSharpness(const ColorFactorOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(RandomSharpness, ColorFactorOptions, FactorRange)

 protected:
  Tensor transform(const Tensor& images) override;
};

/// Keeps the `factor` highest of 8 bits; factor within [1, 8].
class RandomPosterization : public LayerBase<RandomPosterization, ImageLayer> {
 public:
  // A template, because g++ would also convert options in braces to a range.
  template <class Range = FactorRange>
  explicit RandomPosterization(const std::type_identity_t<Range>& factor,
                               ColorFactorOptions options = {})
      : RandomPosterization(by_position<&ColorFactorOptions::factor>("RandomPosterization",
                                                                     std::move(options), factor)) {}
  explicit RandomPosterization(const ColorFactorOptions& options);
  ANTLER_KEYWORD_CONSTRUCTORS(RandomPosterization, ColorFactorOptions, FactorRange)
  Json get_config() const override;

 protected:
  Tensor transform(const Tensor& images) override;

 private:
  ColorFactorOptions options_;
};

/// Replaces x by the upper end of the value range minus x, with a probability drawn from `factor`
/// (default 1), within [0, 1].
class RandomInvert : public LayerOf<RandomInvert, ColorFactorOptions, ImageLayer> {
 public:
  explicit RandomInvert(const ColorFactorOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(RandomInvert, ColorFactorOptions)

 protected:
  Tensor transform(const Tensor& images) override;
};

/// Options of RandomGrayscale.
struct RandomGrayscaleOptions {
  double factor = 0.5;                          ///< probability, in [0, 1]
  std::optional<std::string> data_format = {};  ///< "channels_last" (default) or "channels_first"
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<int64_t> seed = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Converts images to grey, but keeps the number of channels.
class RandomGrayscale : public LayerOf<RandomGrayscale, RandomGrayscaleOptions, ImageLayer> {
 public:
  explicit RandomGrayscale(const RandomGrayscaleOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(RandomGrayscale, RandomGrayscaleOptions)
  Json get_config() const override;

 protected:
  Tensor transform(const Tensor& images) override;
};

/// Options of Solarization.
struct SolarizationOptions {
  FactorRange addition_factor = 0.0;            ///< times 255, added first; f means [0, f]
  FactorRange threshold_factor = 0.0;           ///< times 255; values from it on are inverted
  std::vector<double> value_range = {0, 255};   ///< smallest and largest value of images
  std::optional<std::string> data_format = {};  ///< "channels_last" (default) or "channels_first"
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<int64_t> seed = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Inverts bright values.
class Solarization : public LayerOf<Solarization, SolarizationOptions, ImageLayer> {
 public:
  explicit Solarization(const SolarizationOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Solarization, SolarizationOptions)

 protected:
  Tensor transform(const Tensor& images) override;
};

/// Options of RandomColorJitter.
struct RandomColorJitterOptions {
  std::vector<double> value_range = {0, 255};   ///< smallest and largest value of images
  FactorRange brightness_factor = {};           ///< not given: no change; likewise below
  FactorRange contrast_factor = {};             ///< see RandomContrast
  FactorRange saturation_factor = {};           ///< see RandomSaturation
  FactorRange hue_factor = {};                  ///< see RandomHue
  std::optional<std::string> data_format = {};  ///< "channels_last" (default) or "channels_first"
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<int64_t> seed = {};
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Applies RandomBrightness, RandomContrast, RandomSaturation and RandomHue in this order.
class RandomColorJitter : public LayerOf<RandomColorJitter, RandomColorJitterOptions, ImageLayer> {
 public:
  explicit RandomColorJitter(const RandomColorJitterOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(RandomColorJitter, RandomColorJitterOptions)

 protected:
  Tensor transform(const Tensor& images) override;

 private:
  std::optional<RandomBrightness> brightness_;
  std::optional<RandomContrast> contrast_;
  std::optional<RandomSaturation> saturation_;
  std::optional<RandomHue> hue_;
};

/// Options of AutoContrast.
struct AutoContrastOptions {
  std::vector<double> value_range = {0, 255};   ///< smallest and largest value of images
  std::optional<std::string> data_format = {};  ///< "channels_last" (default) or "channels_first"
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Stretches each channel to the whole value range, in training and inference.
class AutoContrast : public LayerOf<AutoContrast, AutoContrastOptions, ImageLayer> {
 public:
  explicit AutoContrast(const AutoContrastOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(AutoContrast, AutoContrastOptions)

 protected:
  Tensor transform(const Tensor& images) override;
};

/// Options of Equalization.
struct EqualizationOptions {
  std::vector<double> value_range = {0, 255};   ///< smallest and largest value of images
  int64_t bins = 256;                           ///< of the histogram
  std::optional<std::string> data_format = {};  ///< "channels_last" (default) or "channels_first"
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Histogram equalization of each channel, over the whole batch.
class Equalization : public LayerOf<Equalization, EqualizationOptions, ImageLayer> {
 public:
  explicit Equalization(const EqualizationOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Equalization, EqualizationOptions)

 protected:
  Tensor transform(const Tensor& images) override;
};

/// Options of ContrastLimitedAdaptiveHistogramEqualization.
struct ContrastLimitedAdaptiveHistogramEqualizationOptions {
  std::vector<double> value_range = {0, 255};    ///< smallest and largest value of images
  double clip_limit = 4.0;                       ///< times the mean count of a bin; 0: no limit
  std::vector<int64_t> tile_grid_size = {8, 8};  ///< tiles down and across
  std::optional<std::string> data_format = {};   ///< "channels_last" (default) or "channels_first"
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
  std::optional<std::string> name = {};
  std::optional<std::string> dtype = {};
  bool trainable = true;
  Regularizer activity_regularizer = {};
};

/// Equalizes the histograms of tiles, with clipped counts, and interpolates between the tiles
/// (Zuiderveld 1994). Acts in training and inference.
class ContrastLimitedAdaptiveHistogramEqualization
    : public LayerBase<ContrastLimitedAdaptiveHistogramEqualization, ImageLayer> {
 public:
  explicit ContrastLimitedAdaptiveHistogramEqualization(
      const ContrastLimitedAdaptiveHistogramEqualizationOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(ContrastLimitedAdaptiveHistogramEqualization,
                             ContrastLimitedAdaptiveHistogramEqualizationOptions)
  Json get_config() const override;

 protected:
  Tensor transform(const Tensor& images) override;

 private:
  ContrastLimitedAdaptiveHistogramEqualizationOptions options_;
};

}  // namespace antler
