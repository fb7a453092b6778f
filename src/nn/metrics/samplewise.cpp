#include "nn/metrics/samplewise.h"

#include "antler/base/error.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/losses/support.h"
#include "nn/metrics/support.h"

namespace antler::metrics {

namespace {

/// Combines the dimensions from `first` on.
Tensor combine_from(const Tensor& x, int first, Combine how) {
  if (x.rank() <= first) return x;
  ops::Axes axes;
  for (int axis = first; axis < x.rank(); ++axis) axes.push_back(axis);
  return how == Combine::mean ? ops::mean(x, axes) : ops::sum(x, axes);
}

}  // namespace

Samplewise reduce_to_samplewise(const Tensor& values, const Tensor& sample_weight, Combine combine,
                                DType dtype) {
  Tensor value = cast_to(values, dtype);
  if (!sample_weight.defined()) return {combine_from(value, 1, combine), {}};
  losses::Targets fitted = losses::same_rank(value, cast_to(sample_weight, dtype));
  value = combine_from(fitted.y_true, fitted.y_pred.rank(), combine);
  Tensor weight = fitted.y_pred;
  try {
    if (!(broadcast_shapes(value.shape(), weight.shape()) == value.shape())) throw ValueError("");
  } catch (const ValueError&) {
    throw ValueError(
        "Metric: `sample_weight` does not fit the values. Received: sample_weight.shape={}, "
        "values.shape={}.",
        sample_weight.shape(), values.shape());
  }
  if (!(weight.shape() == value.shape())) weight = ops::broadcast_to(weight, value.shape());
  return {combine_from(value * weight, 1, combine), combine_from(weight, 1, combine)};
}

}  // namespace antler::metrics
