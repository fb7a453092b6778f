#include "antler/nn/optimizers/muon.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "base/strings.h"
#include "nn/list_field.h"
#include "nn/optimizers/families.h"

namespace antler::optimizers {

template <class V>
void fields(V& v, MuonOptions& o) {
  common_fields(v, o);
  v("adam_beta_1", o.adam_beta_1);
  v("adam_beta_2", o.adam_beta_2);
  v("epsilon", o.epsilon);
  list_field(v, "exclude_layers", o.exclude_layers);
  v("muon_a", o.muon_a);
  v("muon_b", o.muon_b);
  v("muon_c", o.muon_c);
  v("adam_lr_ratio", o.adam_lr_ratio);
  v("momentum", o.momentum);
  v("ns_steps", o.ns_steps);
  v("nesterov", o.nesterov);
  v("exclude_embeddings", o.exclude_embeddings);
  v("adam_weight_decay", o.adam_weight_decay);
  v("rms_rate", o.rms_rate);
}

Muon::Muon(const MuonOptions& options) : OptimizerOf(options) {}

bool Muon::left_to_adam(const Variable& variable) const {
  if (variable.shape().rank() != 2) return true;
  if (matches_any(options_.exclude_layers, variable.path())) return true;
  return options_.exclude_embeddings &&
         to_lower(variable.path()).find("embedding") != std::string::npos;
}

void Muon::build_slots(const Variables& variables) {
  for (const Variable& variable : variables) {
    add_slot(variable, "momentum");
    if (left_to_adam(variable)) add_slot(variable, "velocity");
  }
}

std::optional<double> Muon::weight_decay_of(const Variable& variable) const {
  return left_to_adam(variable) ? options_.adam_weight_decay : options_.weight_decay;
}

Tensor Muon::orthogonalized(const Tensor& x) const {
  // The iteration works on the smaller of the two Gram matrices.
  const bool tall = x.dim(-2) > x.dim(-1);
  Tensor y = tall ? ops::transpose(x) : x;
  y = y / (ops::sqrt(ops::sum(ops::square(y))) + 1e-7);
  for (int64_t i = 0; i < options_.ns_steps; ++i) {
    const Tensor gram = ops::matmul(y, ops::transpose(y));
    const Tensor mixed = options_.muon_b * gram + ops::matmul(options_.muon_c * gram, gram);
    y = options_.muon_a * y + ops::matmul(mixed, y);
  }
  return tall ? ops::transpose(y) : y;
}

void Muon::update_step(const Tensor& gradient, const Variable& variable,
                       const Tensor& learning_rate) {
  if (left_to_adam(variable)) {
    adam_step(gradient, variable, learning_rate * options_.adam_lr_ratio);
    return;
  }
  const Variable m = slot(variable, "momentum");
  const Tensor old = m.value();
  const Tensor momentum = old + (gradient + old * (options_.momentum - 1.0));
  assign(m, momentum);
  const Tensor direction = options_.nesterov ? gradient + options_.momentum * momentum : momentum;
  Tensor step = learning_rate * orthogonalized(direction);
  if (options_.rms_rate) {
    const int64_t longest = std::max(variable.shape()[0], variable.shape()[1]);
    step = step * std::sqrt(static_cast<double>(longest)) * *options_.rms_rate;
  }
  assign(variable, variable.value() - step);
}

void Muon::adam_step(const Tensor& gradient, const Variable& variable,
                     const Tensor& learning_rate) {
  const DType dtype = variable.dtype();
  const Tensor alpha = shared_value("alpha", dtype, [&] {
    const Tensor t = local_step(dtype);
    const auto power = [&](double beta) { return ops::power(Tensor::full(dtype, {}, beta), t); };
    return learning_rate * ops::sqrt(1.0 - power(options_.adam_beta_2)) /
           (1.0 - power(options_.adam_beta_1));
  });
  const Variable m = slot(variable, "momentum");
  const Variable v = slot(variable, "velocity");
  const Tensor old_m = m.value();
  const Tensor old_v = v.value();
  const Tensor momentum = old_m + (gradient - old_m) * (1.0 - options_.adam_beta_1);
  const Tensor velocity = old_v + (ops::square(gradient) - old_v) * (1.0 - options_.adam_beta_2);
  assign(m, momentum);
  assign(v, velocity);
  assign(variable, variable.value() - momentum * alpha / (ops::sqrt(velocity) + options_.epsilon));
}

OptimizerClass muon_optimizer() { return optimizer_class<Muon>(); }

}  // namespace antler::optimizers
