#include "antler/nn/optimizers/loss_scale_optimizer.h"

#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/core/overwrite_with_gradient.h"
#include "antler/ops/control_flow.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/optimizers/families.h"

namespace antler::optimizers {

namespace {

Tensor all_finite(const Tensors& gradients) {
  Tensor finite = Tensor::full(DType::boolean, {}, 1.0);
  for (const Tensor& gradient : gradients) {
    if (!gradient.defined()) continue;
    finite = ops::logical_and(finite, ops::all(ops::isfinite(gradient)));
  }
  return finite;
}

}  // namespace

LossScaleOptimizer::LossScaleOptimizer(OptimizerPtr inner_optimizer,
                                       const LossScaleOptimizerOptions& options)
    : OptimizerBase("LossScaleOptimizer", 0.0, only_name(options.name)),
      inner_(std::move(inner_optimizer)),
      options_(options) {
  if (inner_ == nullptr) {
    throw ValueError("LossScaleOptimizer: `inner_optimizer` must be an optimizer. Received: None");
  }
  inner_->set_loss_scale_factor({});
}

LossScaleOptimizer::LossScaleOptimizer(const Optimizer& inner_optimizer,
                                       const LossScaleOptimizerOptions& options)
    : LossScaleOptimizer(inner_optimizer.share(), options) {}

Tensor LossScaleOptimizer::dynamic_scale() const {
  return built() ? scalar_slot("dynamic_scale").value()
                 : Tensor::full(DType::float32, {}, options_.initial_scale);
}

Variable LossScaleOptimizer::iterations() const { return inner_->iterations(); }
Tensor LossScaleOptimizer::update_count() const { return inner_->update_count(); }
Tensor LossScaleOptimizer::learning_rate() const { return inner_->learning_rate(); }
void LossScaleOptimizer::set_learning_rate(double value) { inner_->set_learning_rate(value); }
bool LossScaleOptimizer::has_schedule() const { return inner_->has_schedule(); }

void LossScaleOptimizer::build(const Variables& variables) {
  inner_->build(variables);
  Optimizer::build(variables);
}

void LossScaleOptimizer::build_slots(const Variables&) {
  add_scalar_slot("step_counter", 0.0, DType::int64);
  add_scalar_slot("dynamic_scale", options_.initial_scale, DType::float32);
}

void LossScaleOptimizer::apply(const Tensors& gradients, const Variables& variables) {
  if (gradients.empty()) return;
  build(variables);
  const Variable counter = scalar_slot("step_counter");
  const Variable scale = scalar_slot("dynamic_scale");
  ops::cond(
      all_finite(gradients),
      [&]() -> Tensors {
        const Tensor present = scale.value();
        Tensors unscaled;
        for (size_t i = 0; i < gradients.size(); ++i) {
          const Tensor& gradient = gradients[i];
          const bool is_scaled = gradient.defined() && !overwrite_with_gradient(variables[i]);
          unscaled.push_back(is_scaled ? gradient / ops::cast(present, gradient.dtype())
                                       : gradient);
        }
        inner_->apply(unscaled, variables);
        const Tensor count = counter.value();
        const Tensor grows = ops::equal(count, options_.dynamic_growth_steps - 1);
        assign(counter, ops::where(grows, 0, count + 1));
        assign(scale, ops::where(grows, present * 2.0, present));
        return {};
      },
      [&]() -> Tensors {
        assign(counter, Tensor::full(DType::int64, {}, 0.0));
        assign(scale, scale.value() * 0.5);
        return {};
      });
}

void LossScaleOptimizer::update_step(const Tensor&, const Variable&, const Tensor&) {
  throw InternalError("LossScaleOptimizer: updates are made by the inner optimizer.");
}

Variables LossScaleOptimizer::variables() const {
  Variables all = Optimizer::variables();
  const Variables inner = inner_->variables();
  all.insert(all.end(), inner.begin(), inner.end());
  return all;
}

void LossScaleOptimizer::finalize_variable_values(const Variables& variables) {
  inner_->finalize_variable_values(variables);
}

Tensor LossScaleOptimizer::scale_loss(const Tensor& loss) const {
  return loss * ops::cast(dynamic_scale(), loss.dtype());
}

Json LossScaleOptimizer::get_config() const {
  Json json = Json::object();
  json["name"] = name();
  json["inner_optimizer"] = serialize(*inner_);
  json["initial_scale"] = options_.initial_scale;
  json["dynamic_growth_steps"] = options_.dynamic_growth_steps;
  return json;
}

namespace {

OptimizerPtr loss_scale_from_config(const Json& config) {
  if (!config.contains("inner_optimizer")) {
    throw TypeError("LossScaleOptimizer: missing required argument `inner_optimizer`.");
  }
  if (!config.value("dynamic", true)) {
    throw ValueError(
        "LossScaleOptimizer no longer supports `dynamic=False`. Instead, simply set "
        "`loss_scale_factor` directly on the `inner_optimizer`.");
  }
  LossScaleOptimizerOptions options;
  options.initial_scale = config.value("initial_scale", options.initial_scale);
  options.dynamic_growth_steps = config.value("dynamic_growth_steps", options.dynamic_growth_steps);
  if (config.contains("name") && config["name"].is_string()) {
    options.name = config["name"].get<std::string>();
  }
  return std::make_shared<LossScaleOptimizer>(deserialize(config["inner_optimizer"]), options);
}

}  // namespace

OptimizerClass loss_scale_optimizer() { return {"LossScaleOptimizer", loss_scale_from_config}; }

}  // namespace antler::optimizers
