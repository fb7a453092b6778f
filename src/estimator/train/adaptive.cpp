#include "antler/estimator/train.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "estimator/train/checks.h"

/// Optimizers with a separate step size for each element.
namespace antler::estimator::train {
namespace {

/// Moves a running mean towards `value` and returns its new value. 1 - decay is rounded as in
/// TensorFlow: for 0.999, float32 has five correct digits of it.
Tensor decayed(const Variable& mean, const Tensor& value, double decay) {
  const Tensor before = mean.value();
  Tensor after = before + (value - before) * (1.0F - static_cast<float>(decay));
  mean.assign(after);
  return after;
}

}  // namespace

AdamOptimizer::AdamOptimizer(const Tensor& learning_rate, const AdamOptions& options)
    : OptimizerBase(options.name, learning_rate), options_(options) {}

void AdamOptimizer::prepare() {
  add_scalar("beta1_power", options_.beta1);
  add_scalar("beta2_power", options_.beta2);
}

void AdamOptimizer::create_slots(const Variable& variable) {
  add_slot(variable, "m");
  add_slot(variable, "v");
}

void AdamOptimizer::update(const Variable& variable, const Tensor& gradient) {
  const DType dtype = variable.dtype();
  const Tensor power1 = ops::cast(scalar("beta1_power"), dtype);
  const Tensor power2 = ops::cast(scalar("beta2_power"), dtype);
  const Tensor rate = learning_rate(dtype) * ops::sqrt(1.0 - power2) / (1.0 - power1);
  const Tensor m = decayed(slot(variable, "m"), gradient, options_.beta1);
  const Tensor v = decayed(slot(variable, "v"), ops::square(gradient), options_.beta2);
  variable.assign_sub(m * rate / (ops::sqrt(v) + options_.epsilon));
}

void AdamOptimizer::finish() {
  for (const auto& [name, beta] :
       {std::pair("beta1_power", options_.beta1), std::pair("beta2_power", options_.beta2)}) {
    const Variable power = scalar(name);
    power.assign(power.value() * beta);
  }
}

AdagradOptimizer::AdagradOptimizer(const Tensor& learning_rate, const AdagradOptions& options)
    : OptimizerBase(options.name, learning_rate),
      initial_accumulator_value_(options.initial_accumulator_value) {
  check_positive("initial_accumulator_value", initial_accumulator_value_);
}

void AdagradOptimizer::create_slots(const Variable& variable) {
  add_slot(variable, "accumulator", initial_accumulator_value_);
}

void AdagradOptimizer::update(const Variable& variable, const Tensor& gradient) {
  const Variable slot = this->slot(variable, "accumulator");
  const Tensor accumulator = slot.value() + ops::square(gradient);
  slot.assign(accumulator);
  variable.assign_sub(gradient * learning_rate(variable.dtype()) * ops::rsqrt(accumulator));
}

RMSPropOptimizer::RMSPropOptimizer(const Tensor& learning_rate, const RMSPropOptions& options)
    : OptimizerBase(options.name, learning_rate), options_(options) {}

void RMSPropOptimizer::create_slots(const Variable& variable) {
  add_slot(variable, "rms", 1);
  if (options_.centered) add_slot(variable, "mg");
  add_slot(variable, "momentum");
}

void RMSPropOptimizer::update(const Variable& variable, const Tensor& gradient) {
  Tensor variance = decayed(slot(variable, "rms"), ops::square(gradient), options_.decay);
  if (options_.centered)
    variance -= ops::square(decayed(slot(variable, "mg"), gradient, options_.decay));
  const Variable slot = this->slot(variable, "momentum");
  const Tensor momentum =
      slot.value() * options_.momentum +
      gradient * learning_rate(variable.dtype()) * ops::rsqrt(variance + options_.epsilon);
  slot.assign(momentum);
  variable.assign_sub(momentum);
}

AdadeltaOptimizer::AdadeltaOptimizer(const Tensor& learning_rate, const AdadeltaOptions& options)
    : OptimizerBase(options.name, learning_rate), options_(options) {}

void AdadeltaOptimizer::create_slots(const Variable& variable) {
  add_slot(variable, "accum");
  add_slot(variable, "accum_update");
}

void AdadeltaOptimizer::update(const Variable& variable, const Tensor& gradient) {
  const Tensor squares = decayed(slot(variable, "accum"), ops::square(gradient), options_.rho);
  const Variable updates = slot(variable, "accum_update");
  const Tensor step = ops::sqrt(updates.value() + options_.epsilon) *
                      ops::rsqrt(squares + options_.epsilon) * gradient;
  decayed(updates, ops::square(step), options_.rho);
  variable.assign_sub(step * learning_rate(variable.dtype()));
}

}  // namespace antler::estimator::train
