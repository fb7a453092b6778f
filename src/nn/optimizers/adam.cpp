#include "antler/nn/optimizers/adam.h"

#include <string>
#include <utility>

#include "antler/ops/numpy/elementwise.h"
#include "nn/optimizers/families.h"

namespace antler::optimizers {

template <class V>
void fields(V& v, AdamOptions& o) {
  common_fields(v, o);
  v("beta_1", o.beta_1);
  v("beta_2", o.beta_2);
  v("epsilon", o.epsilon);
  v("amsgrad", o.amsgrad);
}

Adam::Adam(const AdamOptions& options) : OptimizerOf(options) {}

Adam::Adam(std::string class_name, const AdamOptions& options)
    : OptimizerOf(options, std::move(class_name)) {}

void Adam::build_slots(const Variables& variables) {
  for (const Variable& variable : variables) {
    add_slot(variable, "momentum");
    add_slot(variable, "velocity");
  }
  if (!options_.amsgrad) return;
  for (const Variable& variable : variables) add_slot(variable, "velocity_hat");
}

void Adam::update_step(const Tensor& gradient, const Variable& variable,
                       const Tensor& learning_rate) {
  const double beta_1 = options_.beta_1;
  const double beta_2 = options_.beta_2;
  const DType dtype = variable.dtype();
  // As in Keras, the bias corrections are part of the rate, so that they do not scale epsilon.
  const Tensor alpha = shared_value("alpha", dtype, [&] {
    const Tensor t = local_step(dtype);
    const Tensor one = Tensor::full(dtype, {}, 1.0);
    return learning_rate * ops::sqrt(one - ops::power(Tensor::full(dtype, {}, beta_2), t)) /
           (one - ops::power(Tensor::full(dtype, {}, beta_1), t));
  });
  const Variable m = slot(variable, "momentum");
  const Variable v = slot(variable, "velocity");
  const Tensor old_m = m.value();
  const Tensor old_v = v.value();
  const Tensor momentum = old_m + (gradient - old_m) * (1.0 - beta_1);
  const Tensor velocity = old_v + (ops::square(gradient) - old_v) * (1.0 - beta_2);
  assign(m, momentum);
  assign(v, velocity);
  Tensor scale = velocity;
  if (options_.amsgrad) {
    const Variable largest = slot(variable, "velocity_hat");
    scale = ops::maximum(largest.value(), velocity);
    assign(largest, scale);
  }
  assign(variable, variable.value() - momentum * alpha / (ops::sqrt(scale) + options_.epsilon));
}

OptimizerClass adam_optimizer() { return optimizer_class<Adam>(); }

}  // namespace antler::optimizers
