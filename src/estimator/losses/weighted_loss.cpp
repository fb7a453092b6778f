#include "antler/estimator/graph.h"
#include "antler/estimator/losses.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "estimator/graph_state.h"
#include "estimator/losses/shapes.h"

namespace antler::estimator::losses {
namespace {

/// The number by which the sum of the losses is divided.
Tensor divisor(const Tensor& losses, const Tensor& weights, Reduction reduction) {
  if (reduction == Reduction::sum_over_batch_size)
    return Tensor::full(DType::float32, {}, static_cast<double>(losses.size()));
  const Tensor counted = reduction == Reduction::mean
                             ? weights
                             : ops::cast(ops::not_equal(weights, 0), DType::float32);
  // A broadcast weight counts once for each loss that it applies to.
  const auto uses = static_cast<double>(losses.size()) / static_cast<double>(weights.size());
  return ops::sum(counted) * uses;
}

}  // namespace

Tensor compute_weighted_loss(const Tensor& losses, const LossOptions& options) {
  if (Graph::has_current())
    Graph::current().state()->loss_is_sum = options.reduction == Reduction::sum;
  const Tensor values = ops::cast(losses, DType::float32);
  const Tensor weights = ops::cast(options.weights, DType::float32);
  check_weights(weights, values);
  const Tensor weighted = values * weights;
  Tensor result = weighted;
  if (options.reduction != Reduction::none) result = ops::sum(weighted);
  if (options.reduction != Reduction::none && options.reduction != Reduction::sum)
    result = ops::divide_no_nan(result, divisor(values, weights, options.reduction));
  return ops::cast(result, losses.dtype());
}

Tensor get_regularization_loss() {
  const Tensors losses = Graph::current().regularization_losses();
  return losses.empty() ? Tensor::full(DType::float32, {}, 0) : ops::sum(losses);
}

}  // namespace antler::estimator::losses
