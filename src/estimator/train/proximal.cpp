#include "antler/estimator/train.h"
#include "antler/ops/numpy/elementwise.h"
#include "estimator/train/checks.h"

/// Optimizers that shrink a variable after each step.
namespace antler::estimator::train {
namespace {

/// Moves values towards zero by `rate * l1`, then divides them by 1 + rate * l2.
Tensor shrunk(const Tensor& value, const Tensor& rate, double l1, double l2) {
  const Tensor thresholded =
      l1 > 0 ? ops::sign(value) * ops::maximum(ops::abs(value) - rate * l1, 0.0) : value;
  return thresholded / (rate * l2 + 1.0);
}

}  // namespace

ProximalGradientDescentOptimizer::ProximalGradientDescentOptimizer(const Tensor& learning_rate,
                                                                   const ProximalOptions& options)
    : OptimizerBase(options.name, learning_rate), options_(options) {}

void ProximalGradientDescentOptimizer::update(const Variable& variable, const Tensor& gradient) {
  const Tensor rate = learning_rate(variable.dtype());
  variable.assign(shrunk(variable.value() - gradient * rate, rate,
                         options_.l1_regularization_strength, options_.l2_regularization_strength));
}

ProximalAdagradOptimizer::ProximalAdagradOptimizer(const Tensor& learning_rate,
                                                   const ProximalAdagradOptions& options)
    : OptimizerBase(options.name, learning_rate), options_(options) {
  check_positive("initial_accumulator_value", options.initial_accumulator_value);
}

void ProximalAdagradOptimizer::create_slots(const Variable& variable) {
  add_slot(variable, "accumulator", options_.initial_accumulator_value);
}

void ProximalAdagradOptimizer::update(const Variable& variable, const Tensor& gradient) {
  const Variable slot = this->slot(variable, "accumulator");
  const Tensor accumulator = slot.value() + ops::square(gradient);
  slot.assign(accumulator);
  const Tensor rate = learning_rate(variable.dtype()) * ops::rsqrt(accumulator);
  variable.assign(shrunk(variable.value() - gradient * rate, rate,
                         options_.l1_regularization_strength, options_.l2_regularization_strength));
}

}  // namespace antler::estimator::train
