#include "antler/nn/optimizers/adamw.h"

#include "antler/base/error.h"
#include "nn/optimizers/families.h"

namespace antler::optimizers {

namespace {

AdamOptions adam_options(const AdamWOptions& o) {
  if (!o.weight_decay) {
    throw ValueError("AdamW: argument `weight_decay` must be a float. Received: weight_decay=None");
  }
  return {.learning_rate = o.learning_rate,
          .beta_1 = o.beta_1,
          .beta_2 = o.beta_2,
          .epsilon = o.epsilon,
          .amsgrad = o.amsgrad,
          .weight_decay = o.weight_decay,
          .clipnorm = o.clipnorm,
          .clipvalue = o.clipvalue,
          .global_clipnorm = o.global_clipnorm,
          .use_ema = o.use_ema,
          .ema_momentum = o.ema_momentum,
          .ema_overwrite_frequency = o.ema_overwrite_frequency,
          .loss_scale_factor = o.loss_scale_factor,
          .gradient_accumulation_steps = o.gradient_accumulation_steps,
          .name = o.name};
}

}  // namespace

template <class V>
void fields(V& v, AdamWOptions& o) {
  common_fields(v, o);
  v("beta_1", o.beta_1);
  v("beta_2", o.beta_2);
  v("epsilon", o.epsilon);
  v("amsgrad", o.amsgrad);
}

AdamW::AdamW(const AdamWOptions& options) : OptimizerBase("AdamW", adam_options(options)) {}

OptimizerClass adamw_optimizer() { return optimizer_class<AdamW, AdamWOptions>(); }

}  // namespace antler::optimizers
