#pragma once

#include <cstdint>

#include "antler/core/tensor.h"

/// Losses for a model_fn: tf.compat.v1.losses. They return a scalar or, with Reduction::none, the
/// losses of the elements.
namespace antler::estimator::losses {

/// How weighted losses are reduced to one number.
enum class Reduction : uint8_t {
  none,
  sum,
  mean,                    ///< the sum divided by the sum of the weights
  sum_over_batch_size,     ///< the sum divided by the number of losses
  sum_by_nonzero_weights,  ///< the sum divided by the number of losses whose weight is not 0
};

/// Options that every loss has.
struct LossOptions {
  /// A scalar, or an array of the rank of the losses with the same dimensions or 1.
  Tensor weights = 1.0;
  Reduction reduction = Reduction::sum_by_nonzero_weights;  ///< of the losses of a batch
};

/// losses * weights, reduced. Throws ValueError for weights that do not broadcast to the losses.
Tensor compute_weighted_loss(const Tensor& losses, const LossOptions& options = {});

// Labels and predictions have the same shape (ValueError otherwise).
/// |predictions - labels|.
Tensor absolute_difference(const Tensor& labels, const Tensor& predictions,
                           const LossOptions& options = {});
/// (predictions - labels)^2.
Tensor mean_squared_error(const Tensor& labels, const Tensor& predictions,
                          const LossOptions& options = {});
/// max(0, 1 - y * logits) for labels of 0 and 1, y = 2 * label - 1.
Tensor hinge_loss(const Tensor& labels, const Tensor& logits, const LossOptions& options = {});
/// Options of huber_loss().
struct HuberLossOptions {
  Tensor weights = 1.0;  ///< a factor per value; broadcasts
  double delta = 1;      ///< up to this error the loss is quadratic
  Reduction reduction = Reduction::sum_by_nonzero_weights;  ///< of the losses of a batch
};
Tensor huber_loss(const Tensor& labels, const Tensor& predictions,
                  const HuberLossOptions& options = {});
/// Options of log_loss().
struct LogLossOptions {
  Tensor weights = 1.0;                                     ///< a factor per value; broadcasts
  double epsilon = 1e-7;                                    ///< added to probabilities
  Reduction reduction = Reduction::sum_by_nonzero_weights;  ///< of the losses of a batch
};
/// -(y log(p + epsilon) + (1 - y) log(1 - p + epsilon)).
Tensor log_loss(const Tensor& labels, const Tensor& predictions,
                const LogLossOptions& options = {});
/// 1 - sum(labels * predictions) along `axis`; both are assumed to have unit norm.
Tensor cosine_distance(const Tensor& labels, const Tensor& predictions, int64_t axis,
                       const LossOptions& options = {});
/// The sum over all rows of the mean of (e_i - e_j)^2 over all pairs of errors in the row.
/// `weights`: a scalar or [batch, 1, ...].
Tensor mean_pairwise_squared_error(const Tensor& labels, const Tensor& predictions,
                                   const Tensor& weights = 1.0);

/// Options of sigmoid_cross_entropy(), softmax_cross_entropy().
struct CrossEntropyOptions {
  Tensor weights = 1.0;                                     ///< a factor per value; broadcasts
  double label_smoothing = 0;                               ///< in [0, 1]
  Reduction reduction = Reduction::sum_by_nonzero_weights;  ///< of the losses of a batch
};
/// Labels and logits have the same shape; classes are independent.
Tensor sigmoid_cross_entropy(const Tensor& multi_class_labels, const Tensor& logits,
                             const CrossEntropyOptions& options = {});
/// For one-hot labels and logits [..., classes]; the losses are [...].
Tensor softmax_cross_entropy(const Tensor& onehot_labels, const Tensor& logits,
                             const CrossEntropyOptions& options = {});
/// For class numbers [...] (or [..., 1]) and logits [..., classes].
Tensor sparse_softmax_cross_entropy(const Tensor& labels, const Tensor& logits,
                                    const LossOptions& options = {});

/// The sum of the penalties of the current graph; 0 if there are none.
Tensor get_regularization_loss();

}  // namespace antler::estimator::losses
