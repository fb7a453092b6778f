#include "antler/nn/optimizers/lamb.h"

#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/optimizers/families.h"

namespace antler::optimizers {

template <class V>
void fields(V& v, LambOptions& o) {
  common_fields(v, o);
  v("beta_1", o.beta_1);
  v("beta_2", o.beta_2);
  v("epsilon", o.epsilon);
}

Lamb::Lamb(const LambOptions& options) : OptimizerOf(options) {}

void Lamb::build_slots(const Variables& variables) {
  for (const Variable& variable : variables) {
    add_slot(variable, "momentum");
    add_slot(variable, "velocity");
  }
}

void Lamb::update_step(const Tensor& gradient, const Variable& variable,
                       const Tensor& learning_rate) {
  const DType dtype = variable.dtype();
  const auto correction = [&](const char* key, double beta) {
    return shared_value(key, dtype, [&] {
      return 1.0 / (1.0 - ops::power(Tensor::full(dtype, {}, beta), local_step(dtype)));
    });
  };
  const Variable m = slot(variable, "momentum");
  const Variable v = slot(variable, "velocity");
  const Tensor old_m = m.value();
  const Tensor old_v = v.value();
  const Tensor momentum = old_m + (gradient - old_m) * (1.0 - options_.beta_1);
  const Tensor velocity = old_v + (ops::square(gradient) - old_v) * (1.0 - options_.beta_2);
  assign(m, momentum);
  assign(v, velocity);
  const Tensor scale =
      ops::sqrt(velocity * correction("beta_2", options_.beta_2)) + options_.epsilon;
  const Tensor step = momentum * correction("beta_1", options_.beta_1) / scale;
  const Tensor value = variable.value();
  const Tensor weight_norm = ops::sqrt(ops::sum(ops::square(value)));
  const Tensor step_norm = ops::sqrt(ops::sum(ops::square(step)));
  const Tensor both =
      ops::logical_and(ops::greater(weight_norm, 0.0), ops::greater(step_norm, 0.0));
  const Tensor trust =
      ops::where(both, ops::divide_no_nan(weight_norm, step_norm), ops::ones_like(weight_norm));
  assign(variable, value - step * (trust * learning_rate));
}

OptimizerClass lamb_optimizer() { return optimizer_class<Lamb>(); }

}  // namespace antler::optimizers
