// The weights and losses of a layer and of the layers inside it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>

#include "antler/base/error.h"
#include "antler/core/variable_origin.h"
#include "antler/ir/tracer.h"
#include "antler/nn/layer.h"
#include "antler/ops/core.h"
#include "base/strings.h"
#include "nn/layer_state.h"

namespace antler {
namespace {

/// Calls `f` once for the state of a layer and of each layer inside it, parents first.
template <class F>
void visit(const LayerState& state, std::unordered_set<const LayerState*>& seen, const F& f) {
  if (!seen.insert(&state).second) return;
  f(state);
  for (const auto& [path, layer] : state.sublayers) visit(LayerInternals::state(*layer), seen, f);
}

template <class F>
void visit(const LayerState& state, const F& f) {
  std::unordered_set<const LayerState*> seen;
  visit(state, seen, f);
}

/// Visits the layers in the order in which Keras collects their losses: the layers inside a layer
/// in reverse, except those of the outermost one.
template <class F>
void visit_for_losses(const LayerState& state, std::unordered_set<const LayerState*>& seen,
                      bool outermost, const F& f) {
  if (!seen.insert(&state).second) return;
  f(state);
  const auto inner = [&](const auto& sublayer) {
    visit_for_losses(LayerInternals::state(*sublayer.second), seen, false, f);
  };
  if (outermost) {
    std::for_each(state.sublayers.begin(), state.sublayers.end(), inner);
  } else {
    std::for_each(state.sublayers.rbegin(), state.sublayers.rend(), inner);
  }
}

void append_unique(Variables& to, std::unordered_set<uint64_t>& seen, const Variable& variable) {
  if (seen.insert(variable.id()).second) to.push_back(variable);
}

/// Throws ValueError unless the value has the shape of the weight.
void check_value(const std::string& layer, const Variable& weight, const Tensor& value) {
  if (value.defined() && value.shape() == weight.shape()) return;
  throw ValueError("Layer {} weight shape {} is not compatible with provided weight shape {}.",
                   layer, weight.shape(),
                   value.defined() ? value.shape().str() : std::string("None"));
}

}  // namespace

void store_value(const std::string& layer, const Variable& weight, const Tensor& value) {
  check_value(layer, weight, value);
  const ir::TraceSuspension suspension;
  weight.store(ops::cast(value, weight.dtype()));
}

void Layer::set_trainable(bool trainable) {
  visit(*state_, [&](const LayerState& state) {
    const_cast<LayerState&>(state).trainable = trainable;
    for (Variable v : state.trainable_weights) v.set_trainable(trainable);
  });
}

Variables Layer::weights() const {
  Variables result;
  std::unordered_set<uint64_t> seen;
  visit(*state_, [&](const LayerState& state) {
    for (const Variable& v : state.trainable_weights) append_unique(result, seen, v);
    for (const Variable& v : state.non_trainable_weights) append_unique(result, seen, v);
  });
  return result;
}

Variables Layer::variables() const {
  Variables result = weights();
  std::unordered_set<uint64_t> seen;
  visit(*state_, [&](const LayerState& state) {
    for (const SeedGenerator& g : state.seed_generators) append_unique(result, seen, g.state());
  });
  return result;
}

Variables Layer::trainable_variables() const {
  if (!state_->trainable) return {};
  Variables result = weights();
  std::erase_if(result, [](const Variable& v) { return !v.trainable(); });
  return result;
}

Variables Layer::non_trainable_variables() const {
  Variables result = variables();
  if (state_->trainable) std::erase_if(result, [](const Variable& v) { return v.trainable(); });
  return result;
}

Variables Layer::non_trainable_weights() const {
  Variables result = weights();
  if (state_->trainable) std::erase_if(result, [](const Variable& v) { return v.trainable(); });
  return result;
}

int64_t Layer::count_params() const {
  // A build() that the user calls makes the weights, but only a call marks the layer as built.
  if (!built() && weights().empty()) {
    throw ValueError(
        "You tried to call `count_params` on layer '{}', but the layer isn't built. You can build "
        "it by calling it on data or by `build(input_shape)`.",
        name());
  }
  int64_t count = 0;
  for (const Variable& v : weights()) count += v.shape().num_elements();
  return count;
}

Tensors Layer::get_weights() const {
  Tensors values;
  for (const Variable& v : weights()) values.push_back(v.stored());
  return values;
}

void Layer::set_weights(const Tensors& values) {
  const Variables variables = weights();
  if (variables.size() != values.size()) {
    throw ValueError(
        "You called `set_weights(weights)` on layer '{}' with a weight list of length {}, but the "
        "layer was expecting {} weights.",
        name(), values.size(), variables.size());
  }
  for (size_t i = 0; i < values.size(); ++i) check_value(name(), variables[i], values[i]);
  for (size_t i = 0; i < values.size(); ++i) store_value(name(), variables[i], values[i]);
}

Tensors Layer::losses() const {
  Tensors result;
  std::unordered_set<const LayerState*> seen;
  visit_for_losses(*state_, seen, true, [&](const LayerState& state) {
    result.insert(result.end(), state.losses.begin(), state.losses.end());
  });
  for (const Variable& v : trainable_variables()) {
    if (v.regularizer()) result.push_back(v.regularizer()(v.value()));
  }
  return result;
}

void clear_losses(Layer& layer) {
  visit(LayerInternals::state(layer),
        [](const LayerState& state) { const_cast<LayerState&>(state).losses.clear(); });
}

VariableStore Layer::save_own_variables() const {
  VariableStore store;
  for (const Variables* group : {&state_->trainable_weights, &state_->non_trainable_weights}) {
    for (const Variable& v : *group) store.emplace_back(std::to_string(store.size()), v.stored());
  }
  return store;
}

void Layer::load_own_variables(const VariableStore& given) {
  Variables own = state_->trainable_weights;
  own.insert(own.end(), state_->non_trainable_weights.begin(), state_->non_trainable_weights.end());
  const VariableStore store = joined_parts(given, own);
  if (store.size() != own.size()) {
    throw ValueError(
        "Layer '{}' expected {} variables, but received {} variables during loading. Expected: "
        "['{}']",
        name(), own.size(), store.size(), join(own, "', '", &Variable::name));
  }
  for (size_t i = 0; i < own.size(); ++i) store_value(name(), own[i], store[i].second);
}

Variable Layer::add_weight(const WeightOptions& options) {
  const Initializer initializer =
      options.initializer.given() ? options.initializer : Initializer("glorot_uniform");
  if (!options.shape.is_known()) {
    throw ValueError(
        "Layer '{}': the weight `{}` has the shape {}. All of its dimensions must be known and "
        "not negative. The sizes of the inputs that they depend on must be defined.",
        name(), options.name, options.shape);
  }
  const ir::TraceSuspension suspension;
  const Tensor initial = initializer(options.shape, options.dtype.value_or(variable_dtype()));
  const VariableAggregation of_state = is_floating(initial.dtype())
                                           ? VariableAggregation::mean
                                           : VariableAggregation::only_first_replica;
  Variable variable(initial, {.name = options.name,
                              .trainable = options.trainable && trainable(),
                              .synchronization = options.synchronization,
                              .aggregation = options.aggregation.value_or(
                                  options.trainable ? VariableAggregation::none : of_state)});
  const NameScope scope(*this);
  variable.set_path(NameScope::path() + "/" + options.name);
  if (const VariableOrigin& origin = current_variable_origin()) origin->place(variable);
  if (options.regularizer.given()) variable.set_regularizer(options.regularizer);
  if (options.constraint.given()) variable.set_constraint(options.constraint);
  (options.trainable ? state_->trainable_weights : state_->non_trainable_weights)
      .push_back(variable);
  if (!options.autocast) state_->uncast_weights.push_back(variable);
  return variable;
}

Variable Layer::weight(const std::string& name) const {
  for (const Variable& variable : weights())
    if (variable.name() == name) return variable;
  throw AttributeError("Layer '{}' has no {}{}.", this->name(), name,
                       built() ? "" : ", because it is not built yet");
}

void Layer::remove_weight(const Variable& weight) {
  std::erase(state_->trainable_weights, weight);
  std::erase(state_->non_trainable_weights, weight);
  std::erase(state_->uncast_weights, weight);
}

Tensor Layer::value_of(const Variable& weight) const {
  const Tensor value = weight.value();
  const bool keeps_dtype =
      !is_floating(value.dtype()) || !is_floating(compute_dtype()) ||
      value.dtype() == compute_dtype() ||
      std::ranges::find(state_->uncast_weights, weight) != state_->uncast_weights.end();
  return keeps_dtype ? value : ops::cast(value, compute_dtype());
}

}  // namespace antler
