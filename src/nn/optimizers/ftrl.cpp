#include "antler/nn/optimizers/ftrl.h"

#include <string>

#include "antler/base/error.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/optimizers/families.h"

namespace antler::optimizers {

template <class V>
void fields(V& v, FtrlOptions& o) {
  common_fields(v, o);
  v("learning_rate_power", o.learning_rate_power);
  v("initial_accumulator_value", o.initial_accumulator_value);
  v("l1_regularization_strength", o.l1_regularization_strength);
  v("l2_regularization_strength", o.l2_regularization_strength);
  v("l2_shrinkage_regularization_strength", o.l2_shrinkage_regularization_strength);
  v("beta", o.beta);
}

Ftrl::Ftrl(const FtrlOptions& options) : OptimizerOf(options) {
  const auto check = [](bool ok, const char* name, const char* expected, double value) {
    if (ok) return;
    throw ValueError("Ftrl: `{}` needs to be {}. Received: {}={}", name, expected, name, value);
  };
  check(options.initial_accumulator_value >= 0, "initial_accumulator_value", "positive or zero",
        options.initial_accumulator_value);
  check(options.learning_rate_power <= 0, "learning_rate_power", "negative or zero",
        options.learning_rate_power);
  check(options.l1_regularization_strength >= 0, "l1_regularization_strength", "positive or zero",
        options.l1_regularization_strength);
  check(options.l2_regularization_strength >= 0, "l2_regularization_strength", "positive or zero",
        options.l2_regularization_strength);
  check(options.l2_shrinkage_regularization_strength >= 0, "l2_shrinkage_regularization_strength",
        "positive or zero", options.l2_shrinkage_regularization_strength);
}

void Ftrl::build_slots(const Variables& variables) {
  for (const Variable& variable : variables) {
    add_slot(variable, "accumulator", options_.initial_accumulator_value);
    add_slot(variable, "linear");
  }
}

void Ftrl::update_step(const Tensor& gradient, const Variable& variable,
                       const Tensor& learning_rate) {
  const double power = -options_.learning_rate_power;
  const double l1 = options_.l1_regularization_strength;
  const Variable accumulator = slot(variable, "accumulator");
  const Variable linear = slot(variable, "linear");
  const Tensor value = variable.value();
  const Tensor old_sum = accumulator.value();
  const Tensor shrunk = gradient + value * (2.0 * options_.l2_shrinkage_regularization_strength);
  const Tensor sum = old_sum + ops::square(gradient);
  const Tensor root = ops::power(sum, power);
  const Tensor z =
      linear.value() + shrunk - (root - ops::power(old_sum, power)) / learning_rate * value;
  const Tensor l2 = options_.beta / (learning_rate * 2.0) + options_.l2_regularization_strength;
  const Tensor curvature = root / learning_rate + l2 * 2.0;
  assign(accumulator, sum);
  assign(linear, z);
  assign(variable, (ops::clip(z, -l1, l1) - z) / curvature);
}

OptimizerClass ftrl_optimizer() { return optimizer_class<Ftrl>(); }

}  // namespace antler::optimizers
