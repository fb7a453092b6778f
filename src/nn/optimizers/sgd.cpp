#include "antler/nn/optimizers/sgd.h"

#include <string>

#include "antler/base/error.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/optimizers/families.h"

namespace antler::optimizers {

template <class V>
void fields(V& v, SGDOptions& o) {
  common_fields(v, o);
  v("momentum", o.momentum);
  v("nesterov", o.nesterov);
}

SGD::SGD(const SGDOptions& options) : OptimizerOf(options) {
  if (!(options.momentum >= 0 && options.momentum <= 1)) {
    throw ValueError("`momentum` must be a float in [0, 1]. Received: momentum={}",
                     options.momentum);
  }
}

void SGD::build_slots(const Variables& variables) {
  if (options_.momentum == 0) return;
  for (const Variable& variable : variables) add_slot(variable, "momentum");
}

void SGD::update_step(const Tensor& gradient, const Variable& variable,
                      const Tensor& learning_rate) {
  const Tensor step = gradient * learning_rate;
  if (options_.momentum == 0) {
    assign(variable, variable.value() - step);
    return;
  }
  const Variable m = slot(variable, "momentum");
  const Tensor velocity = m.value() * options_.momentum - step;
  assign(m, velocity);
  const Tensor change = options_.nesterov ? velocity * options_.momentum - step : velocity;
  assign(variable, variable.value() + change);
}

OptimizerClass sgd_optimizer() { return optimizer_class<SGD>(); }

}  // namespace antler::optimizers
