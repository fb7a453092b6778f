#include "estimator/metrics/accumulate.h"

#include "antler/estimator/graph.h"
#include "antler/ir/tracer.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "estimator/losses/shapes.h"

namespace antler::estimator::metrics {

EvalMetricOp accumulated(const std::string& scope, const std::vector<Sum>& sums,
                         const std::function<Tensor(const Tensors& totals)>& compute) {
  const NamedScope names(unique_scope_name("metrics/" + scope));
  Variables variables;
  Tensors totals;
  for (const Sum& sum : sums) {
    variables.push_back(get_variable(sum.name, {.shape = sum.increment.shape(),
                                                .dtype = sum.increment.dtype(),
                                                .initializer = "zeros",
                                                .trainable = false,
                                                .collection = Collection::local,
                                                .synchronization = VariableSynchronization::on_read,
                                                .aggregation = VariableAggregation::sum}));
    variables.back().assign_add(sum.increment);
    totals.push_back(variables.back().value());
  }
  const auto value = [variables, compute] {
    const ir::TraceSuspension outside;
    Tensors stored;
    for (const Variable& variable : variables) stored.push_back(variable.stored());
    return compute(stored);
  };
  return {value, compute(totals)};
}

EvalMetricOp counted(const std::string& scope, const Sum& sum) {
  EvalMetricOp metric = accumulated(scope, {sum}, [](const Tensors& totals) { return totals[0]; });
  metric.update_has_no_value = true;
  return metric;
}

Weighted weighted(const std::string& metric, const Tensor& labels, const Tensor& predictions,
                  const Tensor& weights) {
  Weighted result{.labels = labels, .values = predictions};
  if (labels.defined()) {
    std::tie(result.labels, result.values) = without_extra_dimension(labels, predictions);
    check_same_shape(metric, result.labels, result.values);
  }
  if (!weights.defined()) return result;
  Tensor factors = ops::cast(weights, DType::float32);
  const int difference = factors.rank() - result.values.rank();
  if (factors.rank() > 0 && difference == 1 && factors.dim(-1) == 1)
    factors = ops::squeeze(factors, -1);
  if (factors.rank() > 0 && difference == -1) factors = ops::expand_dims(factors, -1);
  check_weights(factors, result.values);
  result.weights = ops::broadcast_to(factors, result.values.shape());
  return result;
}

Tensor times(const Tensor& x, const Tensor& weights) {
  const Tensor values = ops::cast(x, DType::float32);
  return weights.defined() ? values * weights : values;
}

Tensor is_true(const Tensor& x) { return ops::cast(ops::not_equal(x, 0), DType::float32); }

}  // namespace antler::estimator::metrics
