#include "antler/estimator/train.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"

/// Optimizers whose step is the gradient or its running sum.
namespace antler::estimator::train {

GradientDescentOptimizer::GradientDescentOptimizer(const Tensor& learning_rate,
                                                   const GradientDescentOptions& options)
    : OptimizerBase(options.name, learning_rate) {}

void GradientDescentOptimizer::update(const Variable& variable, const Tensor& gradient) {
  variable.assign_sub(gradient * learning_rate(variable.dtype()));
}

MomentumOptimizer::MomentumOptimizer(const Tensor& learning_rate, const Tensor& momentum,
                                     const MomentumOptions& options)
    : OptimizerBase(options.name, learning_rate),
      momentum_(momentum),
      use_nesterov_(options.use_nesterov) {}

void MomentumOptimizer::create_slots(const Variable& variable) { add_slot(variable, "momentum"); }

void MomentumOptimizer::update(const Variable& variable, const Tensor& gradient) {
  const Tensor rate = learning_rate(variable.dtype());
  const Tensor momentum = ops::cast(momentum_, variable.dtype());
  const Variable slot = this->slot(variable, "momentum");
  const Tensor sum = slot.value() * momentum + gradient;
  slot.assign(sum);
  variable.assign_sub(use_nesterov_ ? gradient * rate + sum * momentum * rate : sum * rate);
}

}  // namespace antler::estimator::train
