#include "antler/nn/optimizers/lion.h"

#include <string>

#include "antler/base/error.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/optimizers/families.h"

namespace antler::optimizers {

template <class V>
void fields(V& v, LionOptions& o) {
  common_fields(v, o);
  v("beta_1", o.beta_1);
  v("beta_2", o.beta_2);
}

Lion::Lion(const LionOptions& options) : OptimizerOf(options) {
  if (!(options.beta_1 > 0 && options.beta_1 <= 1)) {
    throw ValueError(
        "Lion: `beta_1` must be above 0 and at most 1; at 0 the optimizer would be SignSGD. "
        "Received: beta_1={}",
        options.beta_1);
  }
}

void Lion::build_slots(const Variables& variables) {
  for (const Variable& variable : variables) add_slot(variable, "momentum");
}

void Lion::update_step(const Tensor& gradient, const Variable& variable,
                       const Tensor& learning_rate) {
  const double beta_1 = options_.beta_1;
  const double beta_2 = options_.beta_2;
  const Variable m = slot(variable, "momentum");
  const Tensor old_m = m.value();
  const Tensor direction = ops::sign(old_m * beta_1 + gradient * (1.0 - beta_1));
  assign(variable, variable.value() - direction * learning_rate);
  assign(m, old_m * beta_2 + gradient * (1.0 - beta_2));
}

OptimizerClass lion_optimizer() { return optimizer_class<Lion>(); }

}  // namespace antler::optimizers
