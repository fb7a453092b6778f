#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/core/variable.h"
#include "antler/estimator/estimator_spec.h"

/// What the metrics are made of: local variables that grow with each batch.
namespace antler::estimator::metrics {

/// A metric's variable and what the batch at hand adds to it.
struct Sum {
  std::string name;
  Tensor increment;
};

/// Makes a local variable per sum, adds the increments, and computes the metric from the values:
/// in the trace for EvalMetricOp::update, eagerly for EvalMetricOp::value. `scope` becomes unique.
EvalMetricOp accumulated(const std::string& scope, const std::vector<Sum>& sums,
                         const std::function<Tensor(const Tensors& totals)>& compute);

/// Values, or labels and predictions, of equal shape, with their weights as float32 of that shape,
/// undefined if there are none.
struct Weighted {
  Tensor labels = {};
  Tensor values = {};
  Tensor weights = {};
};
/// Removes or adds a last dimension of 1 where TensorFlow does. Throws ValueError for different
/// shapes, or weights that do not broadcast.
Weighted weighted(const std::string& metric, const Tensor& labels, const Tensor& predictions,
                  const Tensor& weights);
/// `x` as float32, multiplied by the weights.
Tensor times(const Tensor& x, const Tensor& weights);
/// A `compute` of accumulated(): the first total.
Tensor first_total(const Tensors& totals);
/// Elements that are not 0, as float32.
Tensor is_true(const Tensor& x);

}  // namespace antler::estimator::metrics
