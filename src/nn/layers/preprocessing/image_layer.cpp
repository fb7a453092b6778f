#include "antler/nn/layers/image_layer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "antler/nn/bounding_boxes.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/random.h"
#include "base/strings.h"
#include "nn/layer_state.h"
#include "nn/layers/channels.h"
#include "nn/layers/preprocessing/image_support.h"
#include "nn/list_field.h"

namespace antler {

namespace {

/// The rank of images. Throws ValueError unless it is 3 or 4.
int checked_rank(const Tensor& images) {
  if (images.rank() != 3 && images.rank() != 4) {
    throw ValueError(
        "Expected image tensor to have rank 3 (single image) or 4 (batch of images). Received: "
        "data.shape={}",
        images.shape());
  }
  return images.rank();
}

/// Applies `f` to each defined tensor.
ImageBatch each_of(ImageBatch batch, const std::function<Tensor(const Tensor&)>& f) {
  for (Tensor* x : {&batch.images, &batch.masks, &batch.boxes, &batch.box_labels, &batch.labels}) {
    if (x->defined()) *x = f(*x);
  }
  return batch;
}

/// Applies `f` to the images and masks.
ImageBatch pixels_of(ImageBatch batch, const std::function<Tensor(const Tensor&)>& f) {
  batch.images = f(batch.images);
  if (batch.masks.defined()) batch.masks = f(batch.masks);
  return batch;
}

void check_boxes(const Nest& boxes, int image_rank) {
  if (!boxes.is_dict() || !boxes.contains("boxes") || !boxes.contains("labels")) {
    throw ValueError(
        "Expected `bounding_boxes` argument to be a dict with keys 'boxes' and 'labels'. Received: "
        "bounding_boxes={}",
        boxes.structure());
  }
  const Shape& shape = boxes.at("boxes").tensor().shape();
  const Shape& labels = boxes.at("labels").tensor().shape();
  if (shape.rank() != image_rank - 1 || shape.back() != 4) {
    throw ValueError(
        "Expected `bounding_boxes['boxes']` to have shape (num_boxes, 4) for one image or "
        "(batch_size, num_boxes, 4) for a batch. Received: bounding_boxes['boxes'].shape={}",
        shape);
  }
  if (labels.rank() != shape.rank() - 1 && labels.rank() != shape.rank()) {
    throw ValueError(
        "Found bounding_boxes['boxes'].shape={} and expected bounding_boxes['labels'] to have rank "
        "{} or {}, but received: bounding_boxes['labels'].shape={}",
        shape, shape.rank() - 1, shape.rank(), labels);
  }
}

}  // namespace

ImageLayer::ImageLayer(std::string class_name, const LayerOptions& options,
                       const ImageFormats& formats, When when)
    : Layer(std::move(class_name), options),
      bounding_box_format_(formats.bounding_box_format),
      when_(when) {
  channels_first_ =
      antler::is_channels_first(formats.data_format.value_or("channels_last"), name());
  LayerInternals::state(*this).trains_by_default = true;
}

void ImageLayer::build(const std::vector<Shape>&) {}  // no weights, whatever the inputs contain

void ImageLayer::keep_integers(bool in_training) {
  keeps_integers_ = true;
  keeps_integers_in_training_ = in_training;
}

void ImageLayer::use_seed(const std::optional<int64_t>& seed) {
  seed_generator_ = track("seed_generator", SeedGenerator(seed));
}

Tensor ImageLayer::next_seed() const { return seed_generator_->next(); }

Tensor ImageLayer::uniform(const Shape& shape, double low, double high) const {
  return ops::random_uniform(next_seed(), shape, low, high, DType::float32);
}

Tensor ImageLayer::normal(const Shape& shape) const {
  return ops::random_normal(next_seed(), shape, 0, 1, DType::float32);
}

Tensor ImageLayer::transform(const Tensor& images) {
  return transform_all({.images = images}).images;
}

ImageBatch ImageLayer::transform_all(ImageBatch batch) {
  batch.images = transform(batch.images);
  return batch;
}

ImageBatch ImageLayer::projected(ImageBatch batch, const ops::Projection& projection,
                                 const ops::Sampling& sampling) const {
  if (batch.masks.defined()) {
    ops::Sampling nearest = sampling;
    nearest.interpolation = "nearest";
    batch.masks = ops::project(batch.masks, projection, nearest);
  }
  if (batch.boxes.defined()) place_boxes(batch, project_boxes(pixel_boxes(batch), projection));
  batch.images = ops::project(batch.images, projection, sampling);
  return batch;
}

Tensor ImageLayer::pixel_boxes(const ImageBatch& batch) const {
  return bounding_boxes::convert_format(batch.boxes, *bounding_box_format_, "xyxy",
                                        static_cast<double>(batch.images.dim(1)),
                                        static_cast<double>(batch.images.dim(2)));
}

void ImageLayer::place_boxes(ImageBatch& batch, const Tensor& pixels) const {
  const Tensor height = static_cast<double>(batch.images.dim(1));
  const Tensor width = static_cast<double>(batch.images.dim(2));
  const Nest inside = bounding_boxes::clip_to_image_size(
      Nest::dict({{"boxes", pixels}, {"labels", batch.box_labels}}), height, width);
  batch.boxes = bounding_boxes::convert_format(inside.at("boxes").tensor(), "xyxy",
                                               *bounding_box_format_, height, width);
  batch.box_labels = inside.at("labels").tensor();
}

void ImageLayer::refuse_boxes(const ImageBatch& batch) const {
  if (batch.boxes.defined()) {
    throw NotImplementedError("Layer \"{}\" (class {}) does not support bounding boxes.", name(),
                              class_name());
  }
}

Tensor ImageLayer::finish(const Tensor& images, DType given) const {
  const bool keep = is_integer(given) && keeps_integers_in_training_;
  return ops::cast(images, keep ? given : compute_dtype());
}

ImageBatch ImageLayer::run(ImageBatch batch, const CallOptions& options) {
  const bool single = checked_rank(batch.images) == 3;
  const DType given = batch.images.dtype();
  if (when_ == When::training && !options.training.value_or(true)) {
    if (!(is_integer(given) && keeps_integers_)) {
      batch.images = ops::cast(batch.images, compute_dtype());
    }
    return batch;
  }
  batch.given = given;
  batch.images = ops::cast(batch.images, compute_dtype());
  if (single) batch = each_of(batch, [](const Tensor& x) { return ops::expand_dims(x, 0); });
  if (channels_first_) batch = pixels_of(batch, channels_to_last);
  batch = transform_all(std::move(batch));
  if (channels_first_) batch = pixels_of(batch, channels_to_first);
  if (single) batch = each_of(batch, [](const Tensor& x) { return ops::squeeze(x, 0); });
  batch.images = finish(batch.images, given);
  return batch;
}

Tensor ImageLayer::call(const Tensor& input, const CallOptions& options) {
  return run({.images = input}, options).images;
}

Nest ImageLayer::call(const Nest& inputs, const CallOptions& options) {
  if (!inputs.is_dict()) return Layer::call(inputs, options);
  ImageBatch batch{.images = inputs.at("images").tensor()};
  const int rank = checked_rank(batch.images);
  if (inputs.contains("bounding_boxes")) {
    const Nest& boxes = inputs.at("bounding_boxes");
    if (!bounding_box_format_) {
      throw ValueError(
          "You passed an input with a 'bounding_boxes' key, but you didn't specify a bounding box "
          "format. Pass a `bounding_box_format` argument to your {} layer, e.g. "
          "`bounding_box_format='xyxy'`.",
          class_name());
    }
    check_boxes(boxes, rank);
    batch.boxes = ops::cast(boxes.at("boxes").tensor(), DType::float32);
    batch.box_labels = boxes.at("labels").tensor();
  }
  if (inputs.contains("segmentation_masks")) {
    batch.masks = inputs.at("segmentation_masks").tensor();
    if (batch.masks.rank() != rank) {
      throw ValueError(
          "Expected `segmentation_masks` to have a channel axis, like the images. Received: "
          "segmentation_masks.shape={}, images.shape={}",
          batch.masks.shape(), batch.images.shape());
    }
  }
  if (inputs.contains("labels")) batch.labels = inputs.at("labels").tensor();

  batch = run(std::move(batch), options);
  Nest::Items items = inputs.items();
  for (auto& [key, item] : items) {
    if (key == "images") item = batch.images;
    if (key == "segmentation_masks") item = batch.masks;
    if (key == "labels") item = batch.labels;
    if (key != "bounding_boxes") continue;
    Nest::Items boxes = item.items();
    for (auto& [name, value] : boxes) {
      if (name == "boxes") value = batch.boxes;
      if (name == "labels") value = batch.box_labels;
    }
    item = Nest::dict(std::move(boxes));
  }
  return Nest::dict(std::move(items));
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
  throw ValueError(
      "The `{}` argument should be a number (or a list of two numbers) in the range [{}, {}]. "
      "Received: {}={}",
      name, bounds.low, bounds.high, name,
      join(factor.values(), ", ", [](double value) { return format("{}", value); }));
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
    throw ValueError(
        "The `value_range` argument should be a list of two numbers. Received: {} numbers.",
        range.size());
  }
  std::sort(range.begin(), range.end());
  return range;
}

void check_fill_mode(const std::string& fill_mode) {
  for (const char* known : {"reflect", "wrap", "constant", "nearest"}) {
    if (fill_mode == known) return;
  }
  throw NotImplementedError(
      "Unknown `fill_mode` {}. Expected one of ('reflect', 'wrap', 'constant', 'nearest').",
      fill_mode);
}

void check_interpolation(const std::string& interpolation) {
  if (interpolation == "nearest" || interpolation == "bilinear") return;
  throw NotImplementedError("Unknown `interpolation` {}. Expected one of ('nearest', 'bilinear').",
                            interpolation);
}

Tensor change_range(const Tensor& images, const std::vector<double>& from,
                    const std::vector<double>& to) {
  if (from == to) return images;
  return (images - from[0]) / (from[1] - from[0]) * (to[1] - to[0]) + to[0];
}

}  // namespace antler
