#include "antler/nn/layers/image_mixing.h"

#include <functional>
#include <utility>
#include <vector>

#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/random.h"
#include "nn/layers/classes.h"
#include "nn/layers/preprocessing/image_support.h"
#include "nn/list_field.h"

namespace antler {

template <class V>
void fields(V& v, CutMixOptions& o) {
  format_fields(v, o);
  v("factor", o.factor);
  v("seed", o.seed);
}

template <class V>
void fields(V& v, MixUpOptions& o) {
  format_fields(v, o);
  v("alpha", o.alpha);
  v("seed", o.seed);
}

Tensor log_gamma_variate(const std::function<Tensor()>& next_seed, int64_t count,
                         const Tensor& alpha) {
  return ops::random_log_gamma(next_seed(), {count}, alpha);
}

Tensor beta_variate(const std::function<Tensor()>& next_seed, int64_t count, const Tensor& alpha) {
  return ops::random_beta(next_seed(), {count}, alpha, alpha, DType::float32);
}

namespace {

/// w x + (1 - w) x[order], one weight per sample.
Tensor mixed(const Tensor& x, const Tensor& order, const Tensor& weights) {
  std::vector<int64_t> dims(static_cast<size_t>(x.rank()), 1);
  dims[0] = x.dim(0);
  const DType dtype = is_floating(x.dtype()) ? x.dtype() : DType::float32;
  const Tensor values = ops::cast(x, dtype);
  const Tensor weight = ops::cast(ops::reshape(weights, Shape(dims)), dtype);
  return weight * values + (1.0 - weight) * ops::take(values, order, 0);
}

}  // namespace

CutMix::CutMix(const CutMixOptions& options)
    : LayerOf(with_format(options), image_formats(options)) {
  options_.factor = checked_factor(options.factor, {0, 1});
  use_seed(options.seed);
}

ImageBatch CutMix::transform_all(ImageBatch batch) {
  refuse_boxes(batch);
  const Tensor& images = batch.images;
  const int64_t count = images.dim(0);
  const Tensor alpha = uniform({}, options_.factor.low(), options_.factor.high()) + 1e-6;
  const Tensor kept = beta_variate([&] { return next_seed(); }, count, alpha);
  const Tensor ratio = ops::sqrt(1.0 - kept);
  const auto span = [&](int64_t size) {
    const auto length = static_cast<double>(size);
    const Tensor part = ratio * length;
    const Tensor start = uniform({count}, 0, 1) * (length - part);
    return std::pair(start, start + part);
  };
  const auto [x0, x1] = span(images.dim(2));
  const auto [y0, y1] = span(images.dim(1));
  const Tensor order = ops::random_shuffle(next_seed(), ops::arange(0, count));
  const Tensor box = box_mask(images, x0, x1, y0, y1);
  const auto pasted = [&](const Tensor& pixels) {
    return ops::where(box, ops::take(pixels, order, 0), pixels);
  };
  if (batch.labels.defined()) {
    const auto area = static_cast<double>(images.dim(1) * images.dim(2));
    batch.labels = mixed(batch.labels, order, 1.0 - (x1 - x0) * (y1 - y0) / area);
  }
  if (batch.masks.defined()) batch.masks = pasted(ops::cast(batch.masks, compute_dtype()));
  batch.images = pasted(images);
  return batch;
}

MixUp::MixUp(const MixUpOptions& options) : LayerOf(with_format(options), image_formats(options)) {
  keep_integers();
  use_seed(options.seed);
}

ImageBatch MixUp::transform_all(ImageBatch batch) {
  const int64_t count = batch.images.dim(0);
  const Tensor order = ops::random_shuffle(next_seed(), ops::arange(0, count));
  const Tensor weight = beta_variate([&] { return next_seed(); }, count,
                                     Tensor::full(DType::float32, {}, options_.alpha));
  batch.images = mixed(batch.images, order, weight);
  if (batch.masks.defined()) batch.masks = mixed(batch.masks, order, weight);
  if (batch.labels.defined()) batch.labels = mixed(batch.labels, order, weight);
  if (batch.boxes.defined()) {
    // Both images are visible, so the boxes of both are kept.
    batch.boxes = ops::concatenate({batch.boxes, ops::take(batch.boxes, order, 0)}, 1);
    batch.box_labels =
        ops::concatenate({batch.box_labels, ops::take(batch.box_labels, order, 0)}, 1);
  }
  return batch;
}

LayerClasses image_mixing_layers() { return layer_classes<CutMix, MixUp>(); }

}  // namespace antler
