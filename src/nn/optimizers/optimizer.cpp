#include "antler/nn/optimizer.h"

#include <algorithm>
#include <typeinfo>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/core/overwrite_with_gradient.h"
#include "antler/core/variable_origin.h"
#include "antler/nn/layer.h"
#include "antler/nn/registry.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/optimizers/families.h"
#include "nn/optimizers/state.h"
#include "ops/core/shards.h"

namespace antler {

namespace {

void check_options(const OptimizerBaseOptions& o) {
  const int clips = static_cast<int>(o.clipnorm.has_value()) +
                    static_cast<int>(o.clipvalue.has_value()) +
                    static_cast<int>(o.global_clipnorm.has_value());
  const auto text = [](const std::optional<double>& value) {
    return value ? format("{}", *value) : std::string("None");
  };
  if (clips > 1) {
    throw ValueError(
        "Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set. Received: "
        "clipnorm={}, clipvalue={}, global_clipnorm={}",
        text(o.clipnorm), text(o.clipvalue), text(o.global_clipnorm));
  }
  if (o.use_ema && (o.ema_momentum < 0 || o.ema_momentum > 1)) {
    throw ValueError("`ema_momentum` must be in the range [0, 1]. Received: ema_momentum={}",
                     o.ema_momentum);
  }
  if (o.use_ema && o.ema_overwrite_frequency && *o.ema_overwrite_frequency <= 0) {
    throw ValueError(
        "`ema_overwrite_frequency` must be an integer >= 1 or None. Received: "
        "ema_overwrite_frequency={}",
        *o.ema_overwrite_frequency);
  }
  if (o.gradient_accumulation_steps && *o.gradient_accumulation_steps < 2) {
    throw ValueError(
        "`gradient_accumulation_steps` must be an integer >= 2. Received: "
        "gradient_accumulation_steps={}",
        *o.gradient_accumulation_steps);
  }
}

Variable state_variable(const std::string& owner, const std::string& name, const Tensor& initial) {
  Variable variable(
      initial,
      {.name = name, .trainable = false, .aggregation = VariableAggregation::only_first_replica});
  variable.set_path(owner + "/" + name);
  return variable;
}

/// The path of a slot: the path of the weight and the name of the slot, joined as in Keras. If the
/// name begins with "@", the path contains only the name of the weight.
std::string slot_name(const Variable& reference, const std::string& name) {
  if (name.starts_with('@')) return reference.name();
  std::string path = reference.path();
  std::replace(path.begin(), path.end(), '/', '_');
  return path + "_" + name;
}

}  // namespace

std::string LearningRateScheduleImpl::class_name() const {
  return internal::class_name(typeid(*this));
}

Json LearningRateSchedule::get_config() const { return impl_->get_config(); }
Json LearningRateScheduleImpl::get_config() const {
  throw NotImplementedError("Schedule {} must override `get_config` to be saved.", class_name());
}

Optimizer::Optimizer(std::string class_name, const LearningRate& learning_rate,
                     const OptimizerBaseOptions& options)
    : state_(std::make_shared<OptimizerState>()) {
  check_options(options);
  OptimizerState& s = *state_;
  s.name = options.name.empty() ? to_snake_case(class_name) : options.name;
  s.class_name = std::move(class_name);
  s.options = options;
  s.options.name = s.name;
  s.iterations = state_variable(s.name, "iteration", Tensor::full(DType::int64, {}, 0));
  if (learning_rate.is_schedule()) {
    s.schedule = learning_rate.schedule();
  } else {
    s.learning_rate = state_variable(s.name, "learning_rate",
                                     Tensor::full(default_float(), {}, learning_rate.value()));
  }
}

const std::string& Optimizer::name() const { return state_->name; }
const std::string& Optimizer::class_name() const { return state_->class_name; }
Variable Optimizer::iterations() const { return state_->iterations; }
bool Optimizer::has_schedule() const { return state_->schedule.defined(); }
bool Optimizer::built() const { return state_->built; }
const OptimizerBaseOptions& Optimizer::base_options() const { return state_->options; }

std::optional<double> Optimizer::weight_decay_of(const Variable&) const {
  return state_->options.weight_decay;
}

void Optimizer::set_loss_scale_factor(std::optional<double> factor) {
  state_->options.loss_scale_factor = factor;
}

Tensor Optimizer::update_count() const {
  const Tensor count = state_->iterations.value();
  const auto& steps = state_->options.gradient_accumulation_steps;
  return steps ? ops::floor_divide(count, *steps) : count;
}

Tensor Optimizer::learning_rate() const {
  return has_schedule() ? state_->schedule(state_->iterations.value())
                        : state_->learning_rate.value();
}

void Optimizer::set_learning_rate(double value) {
  if (has_schedule()) {
    throw TypeError(
        "This optimizer was created with a `LearningRateSchedule` object as its `learning_rate` "
        "argument, hence its learning rate is not settable. If you need the learning rate to be "
        "settable, you should instantiate the optimizer with a float `learning_rate` argument.");
  }
  state_->learning_rate.assign(Tensor::full(state_->learning_rate.dtype(), {}, value));
}

void Optimizer::build(const Variables& variables) {
  OptimizerState& s = *state_;
  if (s.built) return;
  Variables updated;
  for (const Variable& variable : variables) {
    s.positions.emplace(variable.id(), s.weights.size());
    s.weights.push_back(variable);
    if (!overwrite_with_gradient(variable)) updated.push_back(variable);
  }
  const auto companions = [&](const char* name) {
    Variables made;
    for (const Variable& variable : variables) {
      const ColocateVariables colocated(variable);
      made.push_back(state_variable(s.name, slot_name(variable, name),
                                    Tensor::zeros(variable.dtype(), variable.shape())));
      ops::divide_like(made.back(), variable);
    }
    return made;
  };
  if (s.options.use_ema) {
    s.averages = companions("average");
    for (size_t i = 0; i < variables.size(); ++i) {
      if (overwrite_with_gradient(variables[i])) s.averages[i] = {};
    }
  }
  if (s.options.gradient_accumulation_steps) s.accumulators = companions("gradient_accumulator");
  build_slots(updated);
  s.built = true;
}

Variables Optimizer::variables() const {
  const OptimizerState& s = *state_;
  Variables all = {s.iterations};
  if (s.learning_rate.defined()) all.push_back(s.learning_rate);
  for (const Variables* group : {&s.averages, &s.accumulators, &s.slots}) {
    for (const Variable& variable : *group) {
      if (variable.defined()) all.push_back(variable);
    }
  }
  return all;
}

Variable Optimizer::add_slot(const Variable& reference, const std::string& name, double initial) {
  return add_slot_like(reference, name,
                       Tensor::full(reference.dtype(), reference.shape(), initial));
}

Variable Optimizer::add_slot_like(const Variable& reference, const std::string& name,
                                  const Tensor& initial) {
  const ColocateVariables colocated(reference);
  Variable variable = state_variable(state_->name, slot_name(reference, name), initial);
  ops::divide_like(variable, reference);
  state_->slots.push_back(variable);
  state_->slot_of[{reference.id(), name}] = variable;
  return variable;
}

Variable Optimizer::add_scalar_slot(const std::string& name, double initial, DType dtype) {
  Variable variable = state_variable(state_->name, name, Tensor::full(dtype, {}, initial));
  state_->slots.push_back(variable);
  state_->slot_of[{0, name}] = variable;
  return variable;
}

Variable Optimizer::slot(const Variable& reference, const std::string& name) const {
  const auto found = state_->slot_of.find({reference.id(), name});
  if (found == state_->slot_of.end()) {
    throw InternalError("Optimizer {} has no slot `{}` for {}.", state_->name, name,
                        reference.path());
  }
  return found->second;
}

Variable Optimizer::scalar_slot(const std::string& name) const {
  const auto found = state_->slot_of.find({0, name});
  if (found == state_->slot_of.end()) {
    throw InternalError("Optimizer {} has no slot `{}`.", state_->name, name);
  }
  return found->second;
}

Tensor Optimizer::local_step(DType dtype) const {
  return shared_value("local_step", dtype, [&] { return ops::cast(update_count() + 1, dtype); });
}

Tensor Optimizer::shared_value(const std::string& key, DType dtype,
                               const std::function<Tensor()>& compute) const {
  const std::string full_key = key + ":" + dtype_name(dtype);
  const auto found = state_->shared_values.find(full_key);
  if (found != state_->shared_values.end()) return found->second;
  Tensor value = compute();
  state_->shared_values[full_key] = value;
  return value;
}

void Optimizer::assign(const Variable& variable, const Tensor& value) {
  const JointUpdate together;
  variable.assign(value.dtype() == variable.dtype() ? value : ops::cast(value, variable.dtype()));
}

Tensor Optimizer::scale_loss(const Tensor& loss) const {
  const auto& factor = state_->options.loss_scale_factor;
  return factor ? loss * *factor : loss;
}

Json Optimizer::get_config() const {
  const OptimizerState& s = *state_;
  Json json = config::write(s.options);
  Json rate = has_schedule() ? optimizers::schedules::serialize(s.schedule)
                             : Json(s.learning_rate.stored().item());
  Json ordered = Json::object();
  for (auto& [key, value] : json.items()) {
    ordered[key] = value;
    if (key == "name") ordered["learning_rate"] = rate;
  }
  return ordered;
}

}  // namespace antler
