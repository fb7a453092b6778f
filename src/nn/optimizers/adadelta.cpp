#include "antler/nn/optimizers/adadelta.h"

#include "antler/ops/numpy/elementwise.h"
#include "nn/optimizers/families.h"

namespace antler::optimizers {

template <class V>
void fields(V& v, AdadeltaOptions& o) {
  common_fields(v, o);
  v("rho", o.rho);
  v("epsilon", o.epsilon);
}

Adadelta::Adadelta(const AdadeltaOptions& options) : OptimizerOf(options) {}

void Adadelta::build_slots(const Variables& variables) {
  for (const Variable& variable : variables) {
    add_slot(variable, "accumulated_grad");
    add_slot(variable, "accumulated_delta_var");
  }
}

void Adadelta::update_step(const Tensor& gradient, const Variable& variable,
                           const Tensor& learning_rate) {
  const double rho = options_.rho;
  const double epsilon = options_.epsilon;
  const Variable g = slot(variable, "accumulated_grad");
  const Variable d = slot(variable, "accumulated_delta_var");
  const Tensor old_d = d.value();
  const Tensor squares = g.value() * rho + ops::square(gradient) * (1.0 - rho);
  const Tensor delta = -(ops::sqrt(old_d + epsilon) * gradient / ops::sqrt(squares + epsilon));
  assign(g, squares);
  assign(d, old_d * rho + ops::square(delta) * (1.0 - rho));
  assign(variable, variable.value() + delta * learning_rate);
}

OptimizerClass adadelta_optimizer() { return optimizer_class<Adadelta>(); }

}  // namespace antler::optimizers
