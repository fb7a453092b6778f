#include "antler/nn/optimizers/adagrad.h"

#include "antler/ops/numpy/elementwise.h"
#include "nn/optimizers/families.h"

namespace antler::optimizers {

template <class V>
void fields(V& v, AdagradOptions& o) {
  common_fields(v, o);
  v("initial_accumulator_value", o.initial_accumulator_value);
  v("epsilon", o.epsilon);
}

Adagrad::Adagrad(const AdagradOptions& options) : OptimizerOf(options) {}

void Adagrad::build_slots(const Variables& variables) {
  for (const Variable& variable : variables) {
    add_slot(variable, "accumulator", options_.initial_accumulator_value);
  }
}

void Adagrad::update_step(const Tensor& gradient, const Variable& variable,
                          const Tensor& learning_rate) {
  const Variable a = slot(variable, "accumulator");
  const Tensor sum = a.value() + ops::square(gradient);
  assign(a, sum);
  assign(variable, variable.value() - gradient * learning_rate / ops::sqrt(sum + options_.epsilon));
}

OptimizerClass adagrad_optimizer() { return optimizer_class<Adagrad>(); }

}  // namespace antler::optimizers
