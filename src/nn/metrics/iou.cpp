#include "antler/nn/metrics/iou.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/losses/support.h"
#include "nn/metrics/families.h"
#include "nn/metrics/support.h"

namespace antler::metrics {

namespace {

std::vector<int64_t> all_classes(int64_t num_classes) {
  std::vector<int64_t> ids(static_cast<size_t>(std::max<int64_t>(num_classes, 0)));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

}  // namespace

IoUBase::IoUBase(const char* class_name, const std::string& name, DType dtype, const Json& config,
                 IoUSetup setup)
    : ConfiguredMetric(class_name, unique_name_or(name, class_name), dtype, config, "up"),
      setup_(std::move(setup)) {
  const int64_t classes = setup_.num_classes;
  if (classes <= 0) {
    throw ValueError("{}: `num_classes` must be positive. Received: num_classes={}", class_name,
                     classes);
  }
  if (setup_.target_class_ids.empty()) {
    throw ValueError("{}: `target_class_ids` must name at least one class.", class_name);
  }
  for (const int64_t id : setup_.target_class_ids) {
    if (id >= classes || id < -classes) {
      throw ValueError("Target class id {} is out of range, which is [0, {}).", id, classes);
    }
  }
  total_confusion_matrix_ = add_variable("total_confusion_matrix", {classes, classes}, 0.0, dtype);
}

void IoUBase::update_state(const Tensor& y_true, const Tensor& y_pred,
                           const Tensor& sample_weight) {
  const auto classes_of = [&](const Tensor& y, bool sparse) {
    return flat(cast_to(sparse ? y : ops::argmax(y, setup_.axis), dtype()));
  };
  const Tensor truth = classes_of(y_true, setup_.sparse_y_true);
  const Tensor prediction = classes_of(y_pred, setup_.sparse_y_pred);
  const auto classes = static_cast<int>(setup_.num_classes);
  const auto inside = [&](const Tensor& y) {
    return ops::logical_and(ops::greater_equal(y, 0), ops::less(y, classes));
  };
  Tensor counts = ops::logical_and(inside(truth), inside(prediction));
  if (setup_.ignore_class) {
    counts =
        ops::logical_and(counts, ops::not_equal(truth, static_cast<int>(*setup_.ignore_class)));
  }
  Tensor weight = ops::cast(counts, dtype());
  if (sample_weight.defined()) {
    weight = weight * ops::broadcast_to(flat(cast_to(sample_weight, dtype())), truth.shape());
  }
  // An index outside the matrix is dropped.
  const Tensor cell = ops::where(counts, truth * classes + prediction, -1);
  const Tensor matrix = ops::scatter(ops::zeros({setup_.num_classes * setup_.num_classes}, dtype()),
                                     ops::cast(cell, DType::int32), weight, ops::ScatterMode::add);
  total_confusion_matrix_.assign(total_confusion_matrix_.value() +
                                 ops::reshape(matrix, {setup_.num_classes, setup_.num_classes}));
}

Nest IoUBase::result() const {
  const Tensor matrix = total_confusion_matrix_.value();
  const int64_t n = setup_.num_classes;
  std::vector<int64_t> diagonal;
  for (int64_t i = 0; i < n; ++i) diagonal.push_back(i * (n + 1));
  const Tensor hits = ops::take(ops::reshape(matrix, {n * n}), Tensor::of(diagonal), 0);
  const Tensor joined =
      ops::cast(ops::sum(matrix, {0}), dtype()) + ops::cast(ops::sum(matrix, {1}), dtype()) - hits;
  const Tensor ids = Tensor::of(setup_.target_class_ids);
  const Tensor intersection = cast_to(ops::take(hits, ids, 0), DType::float32);
  const Tensor join = cast_to(ops::take(joined, ids, 0), DType::float32);
  // Classes that did not occur are left out of the mean.
  const Tensor valid = ops::greater(join, 1e-9);
  const Tensor iou = ops::where(valid, intersection / (join + losses::kEpsilon), 0.0);
  return ops::sum(iou) / (ops::sum(ops::cast(valid, DType::float32)) + losses::kEpsilon);
}

template <class V>
void fields(V& v, IoUOptions& o) {
  v("name", o.name);
  v("dtype", o.dtype);
  v.required("num_classes", o.num_classes);
  v.required("target_class_ids", o.target_class_ids);
  v("ignore_class", o.ignore_class);
  v("sparse_y_true", o.sparse_y_true);
  v("sparse_y_pred", o.sparse_y_pred);
  v("axis", o.axis);
}

template <class V>
void fields(V& v, BinaryIoUOptions& o) {
  v("target_class_ids", o.target_class_ids);
  v("threshold", o.threshold);
  v("name", o.name);
  v("dtype", o.dtype);
}

template <class V>
void fields(V& v, MeanIoUOptions& o) {
  v.required("num_classes", o.num_classes);
  v("name", o.name);
  v("dtype", o.dtype);
  v("ignore_class", o.ignore_class);
  v("sparse_y_true", o.sparse_y_true);
  v("sparse_y_pred", o.sparse_y_pred);
  v("axis", o.axis);
}

template <class V>
void fields(V& v, OneHotIoUOptions& o) {
  v.required("num_classes", o.num_classes);
  v.required("target_class_ids", o.target_class_ids);
  v("name", o.name);
  v("dtype", o.dtype);
  v("ignore_class", o.ignore_class);
  v("sparse_y_pred", o.sparse_y_pred);
  v("axis", o.axis);
}

template <class V>
void fields(V& v, OneHotMeanIoUOptions& o) {
  v.required("num_classes", o.num_classes);
  v("name", o.name);
  v("dtype", o.dtype);
  v("ignore_class", o.ignore_class);
  v("sparse_y_pred", o.sparse_y_pred);
  v("axis", o.axis);
}

IoU::IoU(int64_t num_classes, std::vector<int64_t> target_class_ids, IoUOptions o)
    : IoU(by_position<&IoUOptions::num_classes, &IoUOptions::target_class_ids>(
          "IoU", std::move(o), num_classes, std::move(target_class_ids))) {}
IoU::IoU(const IoUOptions& o)
    : MetricOf(o, "IoU", o.name, o.dtype, config::write(o),
               IoUSetup{.num_classes = o.num_classes,
                        .target_class_ids = o.target_class_ids,
                        .ignore_class = o.ignore_class,
                        .sparse_y_true = o.sparse_y_true,
                        .sparse_y_pred = o.sparse_y_pred,
                        .axis = o.axis}) {}

BinaryIoU::BinaryIoU(const BinaryIoUOptions& o)
    : MetricOf(o, "BinaryIoU", o.name, o.dtype, config::write(o),
               IoUSetup{.num_classes = 2, .target_class_ids = o.target_class_ids}) {}

void BinaryIoU::update_state(const Tensor& y_true, const Tensor& y_pred,
                             const Tensor& sample_weight) {
  const Tensor positive = ops::greater_equal(cast_to(y_pred, DType::float32), options().threshold);
  IoUBase::update_state(y_true, ops::cast(positive, dtype()), sample_weight);
}

MeanIoU::MeanIoU(int64_t num_classes, MeanIoUOptions o)
    : MeanIoU(by_position<&MeanIoUOptions::num_classes>("MeanIoU", std::move(o), num_classes)) {}
MeanIoU::MeanIoU(const MeanIoUOptions& o)
    : MetricOf(o, "MeanIoU", o.name, o.dtype, config::write(o),
               IoUSetup{.num_classes = o.num_classes,
                        .target_class_ids = all_classes(o.num_classes),
                        .ignore_class = o.ignore_class,
                        .sparse_y_true = o.sparse_y_true,
                        .sparse_y_pred = o.sparse_y_pred,
                        .axis = o.axis}) {}

OneHotIoU::OneHotIoU(int64_t num_classes, std::vector<int64_t> target_class_ids, OneHotIoUOptions o)
    : OneHotIoU(by_position<&OneHotIoUOptions::num_classes, &OneHotIoUOptions::target_class_ids>(
          "OneHotIoU", std::move(o), num_classes, std::move(target_class_ids))) {}
OneHotIoU::OneHotIoU(const OneHotIoUOptions& o)
    : MetricOf(o, "OneHotIoU", o.name, o.dtype, config::write(o),
               IoUSetup{.num_classes = o.num_classes,
                        .target_class_ids = o.target_class_ids,
                        .ignore_class = o.ignore_class,
                        .sparse_y_true = false,
                        .sparse_y_pred = o.sparse_y_pred,
                        .axis = o.axis}) {}

OneHotMeanIoU::OneHotMeanIoU(int64_t num_classes, OneHotMeanIoUOptions o)
    : OneHotMeanIoU(by_position<&OneHotMeanIoUOptions::num_classes>("OneHotMeanIoU", std::move(o),
                                                                    num_classes)) {}
OneHotMeanIoU::OneHotMeanIoU(const OneHotMeanIoUOptions& o)
    : MetricOf(o, "OneHotMeanIoU", o.name, o.dtype, config::write(o),
               IoUSetup{.num_classes = o.num_classes,
                        .target_class_ids = all_classes(o.num_classes),
                        .ignore_class = o.ignore_class,
                        .sparse_y_true = false,
                        .sparse_y_pred = o.sparse_y_pred,
                        .axis = o.axis}) {}

Metrics::Family iou_metrics() {
  static const MetricClass classes[] = {
      metric_class<IoU, IoUOptions>({}),
      metric_class<BinaryIoU, BinaryIoUOptions>({"binary_io_u"}),
      metric_class<MeanIoU, MeanIoUOptions>({}),
      metric_class<OneHotIoU, OneHotIoUOptions>({}),
      metric_class<OneHotMeanIoU, OneHotMeanIoUOptions>({}),
  };
  return classes;
}

}  // namespace antler::metrics
