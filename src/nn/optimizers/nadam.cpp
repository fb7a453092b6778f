#include "antler/nn/optimizers/nadam.h"

#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/optimizers/families.h"

namespace antler::optimizers {

template <class V>
void fields(V& v, NadamOptions& o) {
  common_fields(v, o);
  v("beta_1", o.beta_1);
  v("beta_2", o.beta_2);
  v("epsilon", o.epsilon);
}

Nadam::Nadam(const NadamOptions& options) : OptimizerOf(options) {}

Tensor Nadam::schedule(const Tensor& t, DType dtype) const {
  const Tensor decay = ops::power(Tensor::full(dtype, {}, 0.96), t);
  return (1.0 - decay * 0.5) * options_.beta_1;
}

void Nadam::begin_update() {
  const Variable product = scalar_slot("variable");
  assign(product, product.value() * schedule(local_step(product.dtype()), product.dtype()));
}

void Nadam::build_slots(const Variables& variables) {
  for (const Variable& variable : variables) {
    add_slot(variable, "momentum");
    add_slot(variable, "velocity");
  }
  // Keras gives the running product of the momentum schedule no name.
  add_scalar_slot("variable", 1.0);
}

void Nadam::update_step(const Tensor& gradient, const Variable& variable,
                        const Tensor& learning_rate) {
  const double beta_1 = options_.beta_1;
  const double beta_2 = options_.beta_2;
  const DType dtype = variable.dtype();
  const Tensor one = Tensor::full(dtype, {}, 1.0);
  const Tensor t = local_step(dtype);
  const Tensor momentum_rate = shared_value("momentum_rate", dtype, [&] {
    const Tensor next = schedule(t + 1.0, dtype);
    const Tensor product = ops::cast(scalar_slot("variable").value(), dtype);
    return next / (one - product * next);
  });
  const Tensor gradient_rate = shared_value("gradient_rate", dtype, [&] {
    return (one - schedule(t, dtype)) / (one - ops::cast(scalar_slot("variable").value(), dtype));
  });
  const Tensor correction = shared_value("correction", dtype, [&] {
    return one / (one - ops::power(Tensor::full(dtype, {}, beta_2), t));
  });
  const Variable m = slot(variable, "momentum");
  const Variable v = slot(variable, "velocity");
  const Tensor old_m = m.value();
  const Tensor old_v = v.value();
  const Tensor momentum = old_m + (gradient - old_m) * (1.0 - beta_1);
  const Tensor velocity = old_v + (ops::square(gradient) - old_v) * (1.0 - beta_2);
  assign(m, momentum);
  assign(v, velocity);
  const Tensor mean = momentum * momentum_rate + gradient * gradient_rate;
  assign(variable, variable.value() - mean * learning_rate /
                                          (ops::sqrt(velocity * correction) + options_.epsilon));
}

OptimizerClass nadam_optimizer() { return optimizer_class<Nadam>(); }

}  // namespace antler::optimizers
