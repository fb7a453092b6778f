#include "antler/nn/optimizers/adamax.h"

#include "antler/ops/numpy/elementwise.h"
#include "nn/optimizers/families.h"

namespace antler::optimizers {

template <class V>
void fields(V& v, AdamaxOptions& o) {
  common_fields(v, o);
  v("beta_1", o.beta_1);
  v("beta_2", o.beta_2);
  v("epsilon", o.epsilon);
}

Adamax::Adamax(const AdamaxOptions& options) : OptimizerOf(options) {}

void Adamax::build_slots(const Variables& variables) {
  for (const Variable& variable : variables) {
    add_slot(variable, "momentum");
    add_slot(variable, "norm");
  }
}

void Adamax::update_step(const Tensor& gradient, const Variable& variable,
                         const Tensor& learning_rate) {
  const DType dtype = variable.dtype();
  const Tensor alpha = shared_value("alpha", dtype, [&] {
    const Tensor beta = Tensor::full(dtype, {}, options_.beta_1);
    return learning_rate / (1.0 - ops::power(beta, local_step(dtype)));
  });
  const Variable m = slot(variable, "momentum");
  const Variable u = slot(variable, "norm");
  const Tensor old_m = m.value();
  const Tensor momentum = old_m + (gradient - old_m) * (1.0 - options_.beta_1);
  const Tensor norm = ops::maximum(u.value() * options_.beta_2, ops::absolute(gradient));
  assign(m, momentum);
  assign(u, norm);
  assign(variable, variable.value() - momentum * alpha / (norm + options_.epsilon));
}

OptimizerClass adamax_optimizer() { return optimizer_class<Adamax>(); }

}  // namespace antler::optimizers
