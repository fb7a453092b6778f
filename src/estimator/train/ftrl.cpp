#include "antler/base/error.h"
#include "antler/estimator/train.h"
#include "antler/ops/numpy/elementwise.h"
#include "estimator/train/checks.h"

namespace antler::estimator::train {

FtrlOptimizer::FtrlOptimizer(const Tensor& learning_rate, const FtrlOptions& options)
    : OptimizerBase(options.name, learning_rate), options_(options) {
  check_not_negative("initial_accumulator_value", options.initial_accumulator_value);
  if (options.learning_rate_power > 0) {
    throw ValueError(
        "learning_rate_power needs to be negative or zero. Received: learning_rate_power={}",
        options.learning_rate_power);
  }
  check_not_negative("l1_regularization_strength", options.l1_regularization_strength);
  check_not_negative("l2_regularization_strength", options.l2_regularization_strength);
  check_not_negative("l2_shrinkage_regularization_strength",
                     options.l2_shrinkage_regularization_strength);
}

void FtrlOptimizer::create_slots(const Variable& variable) {
  add_slot(variable, "accum", options_.initial_accumulator_value);
  add_slot(variable, "linear");
}

void FtrlOptimizer::update(const Variable& variable, const Tensor& gradient) {
  const Tensor rate = learning_rate(variable.dtype());
  const Variable accumulator_slot = slot(variable, "accum");
  const Variable linear_slot = slot(variable, "linear");
  const auto power = [&](const Tensor& x) {
    return options_.learning_rate_power == -0.5 ? ops::sqrt(x)
                                                : ops::power(x, -options_.learning_rate_power);
  };
  const Tensor weight = variable.value();
  const Tensor before = accumulator_slot.value();
  const Tensor after = before + ops::square(gradient);
  const double shrinkage = options_.l2_shrinkage_regularization_strength;
  const Tensor pull = shrinkage > 0 ? gradient + weight * (2 * shrinkage) : gradient;
  const Tensor linear = linear_slot.value() + pull - (power(after) - power(before)) / rate * weight;
  // beta / (2 rate) is added to l2, which is then doubled.
  const Tensor quadratic =
      (power(after) + options_.beta) / rate + 2 * options_.l2_regularization_strength;
  const double l1 = options_.l1_regularization_strength;
  variable.assign((ops::clip(linear, -l1, l1) - linear) / quadratic);
  accumulator_slot.assign(after);
  linear_slot.assign(linear);
}

}  // namespace antler::estimator::train
