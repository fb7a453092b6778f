#include "antler/nn/optimizers/rmsprop.h"

#include "antler/ops/numpy/elementwise.h"
#include "nn/optimizers/families.h"

namespace antler::optimizers {

template <class V>
void fields(V& v, RMSpropOptions& o) {
  common_fields(v, o);
  v("rho", o.rho);
  v("momentum", o.momentum);
  v("epsilon", o.epsilon);
  v("centered", o.centered);
}

RMSprop::RMSprop(const RMSpropOptions& options) : OptimizerOf(options) {}

void RMSprop::build_slots(const Variables& variables) {
  for (const Variable& variable : variables) add_slot(variable, "velocity");
  if (options_.momentum > 0) {
    for (const Variable& variable : variables) add_slot(variable, "momentum");
  }
  if (options_.centered) {
    for (const Variable& variable : variables) add_slot(variable, "average_gradient");
  }
}

void RMSprop::update_step(const Tensor& gradient, const Variable& variable,
                          const Tensor& learning_rate) {
  const double rho = options_.rho;
  const Variable v = slot(variable, "velocity");
  const Tensor velocity = v.value() * rho + ops::square(gradient) * (1.0 - rho);
  assign(v, velocity);
  Tensor variance = velocity;
  if (options_.centered) {
    const Variable a = slot(variable, "average_gradient");
    const Tensor average = a.value() * rho + gradient * (1.0 - rho);
    assign(a, average);
    variance = velocity - ops::square(average);
  }
  const Tensor step = gradient * learning_rate / ops::sqrt(variance + options_.epsilon);
  if (options_.momentum > 0) {
    const Variable m = slot(variable, "momentum");
    const Tensor momentum = m.value() * options_.momentum + step;
    assign(m, momentum);
    assign(variable, variable.value() - momentum);
  } else {
    assign(variable, variable.value() - step);
  }
}

OptimizerClass rmsprop_optimizer() { return optimizer_class<RMSprop>(); }

}  // namespace antler::optimizers
