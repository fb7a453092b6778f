#include <utility>

#include "antler/base/error.h"
#include "antler/estimator/graph.h"
#include "antler/estimator/train.h"
#include "antler/ops/collectives.h"
#include "estimator/graph_state.h"

namespace antler::estimator::tpu {
namespace {

train::OptimizerPtr checked(train::OptimizerPtr optimizer) {
  if (optimizer == nullptr)
    throw TypeError("CrossShardOptimizer: `opt` must be an optimizer. Received: a null pointer");
  return optimizer;
}

}  // namespace

CrossShardOptimizer::CrossShardOptimizer(train::OptimizerPtr optimizer)
    : OptimizerBase("CrossShardOptimizer", Tensor(0.0)),
      optimizer_(checked(std::move(optimizer))) {}

train::GradientsAndVariables CrossShardOptimizer::compute_gradients(
    const Tensor& loss, const std::optional<Variables>& var_list) {
  return optimizer_->compute_gradients(loss, var_list);
}

TrainOp CrossShardOptimizer::apply_gradients(const train::GradientsAndVariables& gradients,
                                             const Variable& global_step) {
  Graph::current().state()->has_cross_shard_sum = true;
  train::GradientsAndVariables averaged = gradients;
  for (auto& [gradient, variable] : averaged) {
    if (gradient.defined()) gradient = ops::all_reduce(gradient, ops::ReduceOp::mean);
  }
  return optimizer_->apply_joint_gradients(averaged, global_step);
}

void CrossShardOptimizer::update(const Variable& variable, const Tensor& gradient) {
  optimizer_->update(variable, gradient);
}

}  // namespace antler::estimator::tpu
