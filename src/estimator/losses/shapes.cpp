#include "estimator/losses/shapes.h"

#include "antler/base/error.h"
#include "antler/ops/numpy/manipulation.h"

namespace antler::estimator {

std::pair<Tensor, Tensor> without_extra_dimension(const Tensor& labels, const Tensor& predictions,
                                                  int rank_difference) {
  const int difference = predictions.rank() - labels.rank();
  if (difference == rank_difference + 1 && predictions.dim(-1) == 1)
    return {labels, ops::squeeze(predictions, -1)};
  if (difference == rank_difference - 1 && labels.dim(-1) == 1)
    return {ops::squeeze(labels, -1), predictions};
  return {labels, predictions};
}

void check_same_shape(const std::string& function, const Tensor& labels,
                      const Tensor& predictions) {
  if (labels.shape() == predictions.shape()) return;
  throw ValueError("{}: labels and predictions must have the same shape. Received: {} and {}",
                   function, labels.shape(), predictions.shape());
}

void check_weights(const Tensor& weights, const Tensor& values) {
  bool fits = weights.rank() == 0 || weights.rank() == values.rank();
  for (int i = 0; fits && i < weights.rank(); ++i)
    fits = weights.dim(i) == 1 || weights.dim(i) == values.dim(i);
  if (!fits) {
    throw ValueError(
        "weights can not be broadcast to values. values.rank={}. weights.rank={}. values.shape={}. "
        "weights.shape={}.",
        values.rank(), weights.rank(), values.shape(), weights.shape());
  }
}

}  // namespace antler::estimator
