#include <algorithm>
#include <string>
#include <utility>

#include "antler/autodiff/gradient_tape.h"
#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/core/overwrite_with_gradient.h"
#include "antler/core/variable_origin.h"
#include "antler/nn/clip.h"
#include "antler/nn/optimizer.h"
#include "antler/ops/collectives.h"
#include "antler/ops/control_flow.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "base/strings.h"
#include "ir/traced_origin.h"
#include "nn/optimizers/families.h"
#include "nn/optimizers/state.h"

/// The parts of apply(): accumulation, clipping, decay, the updates, averages.
namespace antler {

namespace {

/// True at every `steps`-th step; `count` is the number of steps before this one.
Tensor is_every(const Tensor& count, int64_t steps) {
  return ops::equal(ops::mod(count + 1, steps), 0);
}

/// Stores the gradient as the value of a variable with overwrite_with_gradient (the statistics of
/// float8).
void overwrite(const OptimizerState& s, const Variable& variable, const Tensor& gradient) {
  // The maximum over the replicas is right for all of them.
  Tensor value = ops::all_reduce(gradient, ops::ReduceOp::max);
  if (s.options.gradient_accumulation_steps) {
    const Variable sum = s.accumulators[s.positions.at(variable.id())];
    const Tensor last = is_every(s.iterations.value(), *s.options.gradient_accumulation_steps);
    const Tensor largest = ops::maximum(value, sum.value());
    value = ops::where(last, largest, variable.value());
    sum.assign(ops::where(last, ops::zeros_like(largest), largest));
  }
  variable.assign(value);
}

}  // namespace

void Optimizer::minimize(const Tensor& loss, const Variables& variables, GradientTape& tape) {
  // Before scale_loss(), because a dynamic scale is a slot.
  build(variables);
  apply(tape.gradient(scale_loss(loss), variables), variables);
}

void Optimizer::minimize(const std::function<Tensor()>& compute_loss, const Variables& variables) {
  GradientTape tape;
  const Tensor loss = compute_loss();
  minimize(loss, variables, tape);
}

void Optimizer::apply_gradients(const std::vector<std::pair<Tensor, Variable>>& pairs) {
  Tensors gradients;
  Variables variables;
  for (const auto& [gradient, variable] : pairs) {
    gradients.push_back(gradient);
    variables.push_back(variable);
  }
  apply(gradients, variables);
}

void Optimizer::apply(const Tensors& gradients, const Variables& variables) {
  OptimizerState& s = *state_;
  if (gradients.size() != variables.size()) {
    throw ValueError(
        "Optimizer.apply: expected one gradient per variable. Received: {} gradients and {} "
        "variables.",
        gradients.size(), variables.size());
  }
  if (gradients.empty()) return;
  const ir::OriginScope origin(ir::traced_origin([&] { return s.name; }));
  const JointUpdate together;
  build(variables);
  Tensors given;
  Variables targets;
  std::vector<std::string> missing;
  bool any_overwritten = false;
  for (size_t i = 0; i < variables.size(); ++i) {
    if (!s.positions.contains(variables[i].id())) {
      throw ValueError(
          "Unknown variable: {}. Optimizer {} can only be called for the variables it was "
          "originally built with. When working with a new set of variables, you should recreate a "
          "new optimizer instance.",
          variables[i].path(), s.name);
    }
    if (!gradients[i].defined()) {
      missing.push_back(variables[i].path());
      continue;
    }
    if (overwrite_with_gradient(variables[i])) {
      overwrite(s, variables[i], gradients[i]);
      any_overwritten = true;
      continue;
    }
    Tensor gradient = ops::all_reduce_gradient(gradients[i]);
    if (s.options.loss_scale_factor) gradient = gradient / *s.options.loss_scale_factor;
    given.push_back(gradient);
    targets.push_back(variables[i]);
  }
  if (given.empty() && !any_overwritten)
    throw ValueError("No gradients provided for any variable.");
  if (!missing.empty()) {
    logging::warning(
        format("Gradients do not exist for variables ['{}'] when minimizing the loss. If using "
               "`model.compile()`, did you forget to provide a `loss` argument?",
               join(missing, "', '")));
  }
  if (given.empty()) {
    // There is nothing left to update.
  } else if (s.options.gradient_accumulation_steps) {
    accumulate_or_update(given, targets);
  } else {
    update(given, targets);
  }
  if (s.options.use_ema) update_averages();
  for (const Variable& variable : targets) {
    if (variable.constraint()) assign(variable, variable.constraint()(variable.value()));
  }
  assign(s.iterations, s.iterations.value() + 1);
}

void Optimizer::update(const Tensors& gradients, const Variables& variables) {
  // A failed update may have left old values.
  state_->shared_values.clear();
  const Tensors clipped = clip(gradients);
  decay_weights(variables);
  begin_update();
  for (size_t i = 0; i < variables.size(); ++i) {
    const DType dtype = variables[i].dtype();
    const Tensor rate =
        shared_value("learning_rate", dtype, [&] { return ops::cast(learning_rate(), dtype); });
    update_step(ops::cast(clipped[i], dtype), variables[i], rate);
  }
  state_->shared_values.clear();
}

void Optimizer::accumulate_or_update(const Tensors& gradients, const Variables& variables) {
  OptimizerState& s = *state_;
  const int64_t steps = *s.options.gradient_accumulation_steps;
  const auto accumulator = [&](size_t i) {
    return s.accumulators[s.positions.at(variables[i].id())];
  };
  ops::cond(
      is_every(s.iterations.value(), steps),
      [&]() -> Tensors {
        Tensors means;
        for (size_t i = 0; i < gradients.size(); ++i) {
          means.push_back((gradients[i] + accumulator(i).value()) / static_cast<double>(steps));
        }
        update(means, variables);
        for (const Variable& sum : s.accumulators)
          sum.assign(Tensor::zeros(sum.dtype(), sum.shape()));
        return {};
      },
      [&]() -> Tensors {
        for (size_t i = 0; i < gradients.size(); ++i) {
          assign(accumulator(i), gradients[i] + accumulator(i).value());
        }
        return {};
      });
}

void Optimizer::update_averages() {
  OptimizerState& s = *state_;
  const Tensor count = update_count();
  // The average starts as the weights after the first step, regardless of its initial value.
  const Tensor started = ops::not_equal(count, 0);
  for (size_t i = 0; i < s.weights.size(); ++i) {
    if (!s.averages[i].defined()) continue;
    const Tensor momentum = ops::cast(started, s.weights[i].dtype()) * s.options.ema_momentum;
    assign(s.averages[i],
           momentum * s.averages[i].value() + (1.0 - momentum) * s.weights[i].value());
  }
  if (!s.options.ema_overwrite_frequency) return;
  ops::cond(
      is_every(count, *s.options.ema_overwrite_frequency),
      [&]() -> Tensors {
        for (size_t i = 0; i < s.weights.size(); ++i) {
          if (s.averages[i].defined()) s.weights[i].assign(s.averages[i].value());
        }
        return {};
      },
      []() -> Tensors { return {}; });
}

void Optimizer::finalize_variable_values(const Variables& variables) {
  const OptimizerState& s = *state_;
  if (!s.options.use_ema || !s.built) return;
  for (const Variable& variable : variables) {
    const auto found = s.positions.find(variable.id());
    if (found == s.positions.end()) {
      throw ValueError("Optimizer {} holds no average of variable {}.", s.name, variable.path());
    }
    const Variable& average = s.averages[found->second];
    if (average.defined()) variable.assign(average.value());
  }
}

void Optimizer::exclude_from_weight_decay(const Variables& variables,
                                          const std::vector<std::string>& name_parts) {
  if (state_->built) {
    throw ValueError(
        "`exclude_from_weight_decay()` can only be configured before the optimizer is built.");
  }
  state_->undecayed.clear();
  for (const Variable& variable : variables) state_->undecayed.insert(variable.id());
  state_->undecayed_names = name_parts;
}

void Optimizer::decay_weights(const Variables& variables) {
  const OptimizerState& s = *state_;
  for (const Variable& variable : variables) {
    const std::optional<double> decay = weight_decay_of(variable);
    if (!decay || s.undecayed.contains(variable.id()) ||
        optimizers::matches_any(s.undecayed_names, variable.path())) {
      continue;
    }
    const DType dtype = variable.dtype();
    const Tensor factor = shared_value(format("decay {}", *decay), dtype,
                                       [&] { return ops::cast(learning_rate(), dtype) * *decay; });
    const Tensor value = variable.value();
    assign(variable, value - value * factor);
  }
}

Tensors Optimizer::clip(const Tensors& gradients) const {
  const OptimizerBaseOptions& o = state_->options;
  if (o.clipnorm.value_or(0) <= 0 && o.global_clipnorm.value_or(0) > 0)
    return tf::clip_by_global_norm(gradients, *o.global_clipnorm).first;
  Tensors clipped = gradients;
  for (Tensor& g : clipped) {
    if (o.clipnorm.value_or(0) > 0) {
      g = tf::clip_by_norm(g, *o.clipnorm);
    } else if (o.clipvalue.value_or(0) > 0) {
      g = ops::clip(g, -*o.clipvalue, *o.clipvalue);
    }
  }
  return clipped;
}

}  // namespace antler
