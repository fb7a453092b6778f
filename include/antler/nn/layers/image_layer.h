#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/nn/layer.h"

namespace antler {

/// Field type of factors: nothing, a number f, or a range {low, high}. Each field says what a
/// number means: mostly [-f, f], limited to the allowed range.
class FactorRange {
 public:
  FactorRange() = default;
  FactorRange(double factor) : values_{factor} {}  // NOLINT(google-explicit-constructor)
  FactorRange(std::initializer_list<double> range) : values_(range), range_(true) {}
  FactorRange(std::vector<double> range)  // NOLINT(google-explicit-constructor)
      : values_(std::move(range)), range_(true) {}
  bool given() const { return !values_.empty(); }
  bool is_range() const { return range_; }
  const std::vector<double>& values() const { return values_; }
  double low() const { return values_.front(); }
  double high() const { return values_.back(); }

 private:
  std::vector<double> values_;
  bool range_ = false;
};

/// The formats of data for image layers.
struct ImageFormats {
  std::optional<std::string> data_format = {};          ///< not given: "channels_last"
  std::optional<std::string> bounding_box_format = {};  ///< see bounding_boxes.h
};

/// Images and the data that belongs to them. Members may be undefined.
struct ImageBatch {
  Tensor images = {};      ///< [batch, height, width, channels]
  Tensor masks = {};       ///< classes of pixels, [batch, height, width, 1]
  Tensor boxes = {};       ///< [batch, n, 4] in the layer's format, float32
  Tensor box_labels = {};  ///< [batch, n], or [batch, n, classes]
  Tensor labels = {};      ///< [batch, ...]
  /// The dtype of the images before they were cast to the compute dtype.
  DType given = DType::float32;
};

namespace ops {
struct Projection;
struct Sampling;
}  // namespace ops

/// Base of image layers. Inputs are [batch, height, width, channels] or one image without batch, or
/// channels_first if the option says so. Most layers change images in training only.
///
/// The input may also be a dictionary {"images", "segmentation_masks", "bounding_boxes": {"boxes",
/// "labels"}, "labels"}, in which only the images are required. Layers that move pixels apply the
/// same random transform to masks and boxes. Boxes are clipped to the image; a box of which nothing
/// is left gets the label -1. Other keys are unchanged. Throws ValueError for boxes without
/// `bounding_box_format`, and NotImplementedError if the layer cannot transform boxes.
class ImageLayer : public Layer {
 public:
  void build(const std::vector<Shape>& input_shapes) override;
  using Layer::build;
  Tensor call(const Tensor& input, const CallOptions& options) override;
  Nest call(const Nest& inputs, const CallOptions& options) override;

 protected:
  enum class When : uint8_t { training, always };
  ImageLayer(std::string class_name, const LayerOptions& options, const ImageFormats& formats,
             When when = When::training);
  /// Calls that do not change the images then return integers as integers, not as floats; with
  /// `in_training`, also calls in training.
  void keep_integers(bool in_training = false);
  /// Gives the layer a source of random numbers.
  void use_seed(const std::optional<int64_t>& seed);
  /// Transforms images [batch, height, width, channels] of the compute dtype. The default calls
  /// transform_all(). A layer overrides one of the two.
  virtual Tensor transform(const Tensor& images);
  /// Transforms images and the data that belongs to them. The default changes only the images.
  virtual ImageBatch transform_all(ImageBatch batch);
  /// transform_all() for layers that sample through a projection. Masks take the nearest pixel.
  ImageBatch projected(ImageBatch batch, const ops::Projection& projection,
                       const ops::Sampling& sampling) const;
  /// Left, top, right and bottom of the boxes, in pixels of the images.
  Tensor pixel_boxes(const ImageBatch& batch) const;
  /// Sets the boxes of the batch from boxes in this form, clipped to the images and converted to
  /// the format of the layer.
  void place_boxes(ImageBatch& batch, const Tensor& pixels) const;
  /// Throws NotImplementedError if there are boxes.
  void refuse_boxes(const ImageBatch& batch) const;
  /// The result, converted to the dtype that the layer returns for images of dtype `given`.
  virtual Tensor finish(const Tensor& images, DType given) const;
  /// Numbers in [low, high), one per image where `shape` begins with the batch; float32.
  Tensor uniform(const Shape& shape, double low, double high) const;
  Tensor normal(const Shape& shape) const;
  /// The seed of one draw.
  Tensor next_seed() const;
  bool is_channels_first() const { return channels_first_; }

 private:
  ImageBatch run(ImageBatch batch, const CallOptions& options);

  bool channels_first_ = false;
  std::optional<std::string> bounding_box_format_;
  When when_;
  bool keeps_integers_ = false;
  bool keeps_integers_in_training_ = false;
  std::optional<SeedGenerator> seed_generator_;
};

}  // namespace antler
