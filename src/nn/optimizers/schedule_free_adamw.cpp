#include "antler/nn/optimizers/schedule_free_adamw.h"

#include "antler/ops/numpy/elementwise.h"
#include "nn/optimizers/families.h"

namespace antler::optimizers {

template <class V>
void fields(V& v, ScheduleFreeAdamWOptions& o) {
  common_fields(v, o);
  v("beta_1", o.beta_1);
  v("beta_2", o.beta_2);
  v("epsilon", o.epsilon);
  v("warmup_steps", o.warmup_steps);
}

ScheduleFreeAdamW::ScheduleFreeAdamW(const ScheduleFreeAdamWOptions& options)
    : OptimizerOf(options) {}

void ScheduleFreeAdamW::build_slots(const Variables& variables) {
  for (const Variable& variable : variables) {
    add_slot_like(variable, "momentum", variable.stored());
    add_slot(variable, "velocity");
  }
}

void ScheduleFreeAdamW::update_step(const Tensor& gradient, const Variable& variable,
                                    const Tensor& learning_rate) {
  const DType dtype = variable.dtype();
  const double beta_1 = options_.beta_1;
  const double beta_2 = options_.beta_2;
  const Tensor step = local_step(dtype);
  const Tensor rate = shared_value("warmed_rate", dtype, [&] {
    if (options_.warmup_steps <= 0) return learning_rate;
    return learning_rate * ops::minimum(step / static_cast<double>(options_.warmup_steps), 1.0);
  });
  const Tensor correction = shared_value(
      "correction", dtype, [&] { return 1.0 - ops::power(Tensor::full(dtype, {}, beta_2), step); });
  const Variable z = slot(variable, "momentum");
  const Variable v = slot(variable, "velocity");
  const Tensor old_v = v.value();
  const Tensor velocity = old_v + (ops::square(gradient) - old_v) * (1.0 - beta_2);
  assign(v, velocity);
  const Tensor scale = ops::sqrt(velocity / correction) + options_.epsilon;
  const Tensor iterate = z.value() - rate * gradient / scale;
  assign(z, iterate);
  const Tensor weight = 1.0 / step;
  const Tensor average = (variable.value() - (1.0 - beta_1) * iterate) / beta_1;
  const Tensor moved = (1.0 - weight) * average + weight * iterate;
  assign(variable, (1.0 - beta_1) * iterate + beta_1 * moved);
}

OptimizerClass schedule_free_adamw_optimizer() { return optimizer_class<ScheduleFreeAdamW>(); }

}  // namespace antler::optimizers
