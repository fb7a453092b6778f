#include "antler/base/error.h"
#include "antler/estimator/losses.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/losses.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "estimator/losses/shapes.h"
#include "estimator/value_check.h"

namespace antler::estimator::losses {
namespace {

LossOptions common(const CrossEntropyOptions& options) {
  return {.weights = options.weights, .reduction = options.reduction};
}

}  // namespace

Tensor sigmoid_cross_entropy(const Tensor& multi_class_labels, const Tensor& logits,
                             const CrossEntropyOptions& options) {
  check_same_shape("sigmoid_cross_entropy", multi_class_labels, logits);
  Tensor labels = ops::cast(multi_class_labels, logits.dtype());
  if (options.label_smoothing > 0)
    labels = labels * (1 - options.label_smoothing) + 0.5 * options.label_smoothing;
  return compute_weighted_loss(ops::binary_crossentropy(labels, logits, {.from_logits = true}),
                               common(options));
}

Tensor softmax_cross_entropy(const Tensor& onehot_labels, const Tensor& logits,
                             const CrossEntropyOptions& options) {
  check_same_shape("softmax_cross_entropy", onehot_labels, logits);
  Tensor labels = ops::cast(onehot_labels, logits.dtype());
  if (options.label_smoothing > 0) {
    const auto classes = static_cast<double>(labels.dim(-1));
    labels = labels * (1 - options.label_smoothing) + options.label_smoothing / classes;
  }
  return compute_weighted_loss(
      ops::categorical_crossentropy(ops::stop_gradient(labels), logits, {.from_logits = true}),
      common(options));
}

Tensor sparse_softmax_cross_entropy(const Tensor& labels, const Tensor& logits,
                                    const LossOptions& options) {
  const auto [classes, scores] = without_extra_dimension(labels, logits, 1);
  if (classes.rank() + 1 != scores.rank()) {
    throw ValueError(
        "sparse_softmax_cross_entropy: logits must have one dimension more than labels. Received: "
        "labels of shape {} and logits of shape {}",
        labels.shape(), logits.shape());
  }
  const int64_t count = scores.dim(-1);
  require_classes(classes, count,
                  format("sparse_softmax_cross_entropy: received a label value of {{}}, which is "
                         "outside of the valid range of [0, {}).",
                         count));
  LossOptions weighted = options;
  if (weighted.weights.rank() == classes.rank() + 1 && weighted.weights.dim(-1) == 1)
    weighted.weights = ops::squeeze(weighted.weights, -1);
  return compute_weighted_loss(
      ops::sparse_categorical_crossentropy(classes, scores, {.from_logits = true}), weighted);
}

}  // namespace antler::estimator::losses
