#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/core/variable.h"
#include "antler/estimator/estimator_spec.h"

/// The basis of the metrics: local variables that grow with each batch.
namespace antler::estimator::metrics {

/// A variable of a metric and the amount that the current batch adds to it.
struct Sum {
  std::string name;
  Tensor increment;
};

/// Creates a local variable per sum, adds the increments, and computes the metric from the values:
/// in the trace for EvalMetricOp::update, eagerly for EvalMetricOp::value. `scope` is made unique.
EvalMetricOp accumulated(const std::string& scope, const std::vector<Sum>& sums,
                         const std::function<Tensor(const Tensors& totals)>& compute);

/// The same for a single sum that is the metric. Its update has no value in exported graphs.
EvalMetricOp counted(const std::string& scope, const Sum& sum);

/// Values, or labels and predictions, of equal shape, with their weights as float32 of that shape,
/// undefined if there are none.
struct Weighted {
  Tensor labels = {};
  Tensor values = {};
  Tensor weights = {};
};
/// Removes or adds a last dimension of size 1 in the same cases as TensorFlow. Throws ValueError
/// for different shapes, or weights that do not broadcast.
Weighted weighted(const std::string& metric, const Tensor& labels, const Tensor& predictions,
                  const Tensor& weights);
/// `x` as float32, multiplied by the weights.
Tensor times(const Tensor& x, const Tensor& weights);
/// Which elements are not 0, as float32.
Tensor is_true(const Tensor& x);

}  // namespace antler::estimator::metrics
