#include "antler/nn/layer.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/format.h"
#include "antler/core/variable_origin.h"
#include "antler/ir/tracer.h"
#include "antler/nn/dtype_policy_map.h"
#include "antler/nn/registry.h"
#include "antler/ops/core.h"
#include "base/strings.h"
#include "nn/layer_state.h"
#include "nn/seed_state.h"

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

void check_assigned(const LayerState& state) {
  if (!state.unassigned) return;
  throw TypeError(
      "This {} was declared without arguments, and no layer was assigned to it. Assign one before "
      "it is used, as in `layer = {}(...)`.",
      state.class_name, state.class_name);
}

/// While it exists, the sublayers that a layer has may be replaced.
class ReplaceableSublayers {
 public:
  explicit ReplaceableSublayers(LayerState& state) : state_(state) {
    state.replaceable_sublayers = state.sublayers.size();
  }
  ~ReplaceableSublayers() { state_.replaceable_sublayers = 0; }
  ReplaceableSublayers(const ReplaceableSublayers&) = delete;
  ReplaceableSublayers& operator=(const ReplaceableSublayers&) = delete;

 private:
  LayerState& state_;
};

/// Removes the first `count` weights that come again behind them, and gives those their values.
/// Weights without a name of their own are kept, because two of them may well be different ones.
void replace_repeated(const std::string& layer, Variables& weights, size_t count) {
  const auto repetition = [&](const Variable& weight) {
    return std::find_if(weights.begin() + static_cast<ptrdiff_t>(count), weights.end(),
                        [&](const Variable& later) {
                          return later.name() == weight.name() && later.shape() == weight.shape();
                        });
  };
  const std::string unnamed = WeightOptions().name;
  for (size_t i = count; i-- > 0;) {
    if (weights[i].name() == unnamed) continue;
    const auto later = repetition(weights[i]);
    if (later == weights.end()) continue;
    store_value(layer, *later, weights[i].value());
    weights.erase(weights.begin() + static_cast<ptrdiff_t>(i));
    --count;
  }
}

}  // namespace

void store_value(const std::string& layer, const Variable& weight, const Tensor& value) {
  check_value(layer, weight, value);
  const ir::TraceSuspension suspension;
  weight.store(ops::cast(value, weight.dtype()));
}

Layer& LayerInternals::target(Layer& layer) {
  LayerState& state = *layer.state_;
  if (state.instance == nullptr) {
    state.instance = layer.clone_handle();
    if (state.instance == nullptr) return layer;
    // The state owns the instance, so the instance's pointer to the state is not owning.
    state.instance->state_ = std::shared_ptr<LayerState>(std::shared_ptr<void>(), &state);
  }
  return *state.instance;
}

void LayerInternals::follow_original(LayerState& state) {
  if (state.original == nullptr || state.instance == nullptr) return;
  state.instance->assign_members(*state.original);
}

void LayerInternals::update_original(LayerState& state) {
  if (state.original == nullptr || state.instance == nullptr) return;
  state.original->assign_members(*state.instance);
}

std::shared_ptr<LayerState> Layer::new_state(const std::string& class_name,
                                             const LayerOptions& options) {
  if (options.name && options.name->find('/') != std::string::npos) {
    throw ValueError("{}: argument `name` must not contain the character `/`. Received: name={}",
                     class_name, *options.name);
  }
  auto state = std::make_shared<LayerState>();
  state->name = options.name ? *options.name : unique_name(to_snake_case(class_name));
  state->class_name = class_name;
  state->policy = options.dtype ? DTypePolicy(*options.dtype) : mixed_precision::global_policy();
  state->trainable = options.trainable;
  state->activity_regularizer = options.activity_regularizer;
  return state;
}

Layer::Layer(const Layer& other) : state_(other.state_->shared_from_this()) {}

Layer& Layer::operator=(const Layer& other) {
  // An alias that stays one is not touched, because another thread may be calling it.
  if (this == &other || state_.get() == other.state_.get()) return *this;
  cease_to_be_original();
  state_ = other.state_->shared_from_this();
  return *this;
}

Layer::~Layer() { cease_to_be_original(); }

void Layer::become_original() {
  LayerState& state = *state_;
  if (state.built || state.original != nullptr || state.instance.get() == this) return;
  state.original = this;
}

void Layer::cease_to_be_original() {
  if (state_->original == this) state_->original = nullptr;
}

void Layer::assign_members(const Layer&) {}

LayerPtr Layer::clone_handle() const { return nullptr; }

void Layer::set_unassigned() { state_->unassigned = true; }

LayerPtr Layer::share() const {
  check_assigned(*state_);
  const std::shared_ptr<LayerState> owner = state_->shared_from_this();
  Layer& target = LayerInternals::target(const_cast<Layer&>(*this));
  if (&target == this && owner->instance == nullptr) {
    throw TypeError(
        "Layer \"{}\" cannot become part of another layer or graph: its class must derive from "
        "LayerBase<Class, Base>, so that it can be shared by value.",
        name());
  }
  return LayerPtr(owner, &target);
}

LayerPtr Layer::share() {
  become_original();
  return std::as_const(*this).share();
}

void Layer::build(const Shape&) {}

void Layer::build(const std::vector<Shape>& input_shapes) {
  if (input_shapes.size() == 1) build(input_shapes[0]);
}

Tensor Layer::call(const Tensor& input) { return call(Nest(input)).tensor(); }

Tensor Layer::call(const Tensor& input, bool) { return call(input); }

Tensor Layer::call(const Tensor& input, const CallOptions& options) {
  return call(input, static_cast<bool>(options.training));
}

Tensor Layer::call(const Tensors& inputs) {
  throw ValueError("Layer \"{}\" expects 1 input(s), but it received {} input tensors.", name(),
                   inputs.size());
}

Tensor Layer::call(const Tensors& inputs, bool) { return call(inputs); }

Nest Layer::call(const Nest& inputs) {
  if (!inputs.is_tensor()) return call(inputs.flatten(), CallScope::training().value_or(false));
  throw NotImplementedError(
      "Layer \"{}\" (class {}) does not override the `call` for these inputs.", name(),
      class_name());
}

Nest Layer::call(const Nest& inputs, const CallOptions& options) {
  if (inputs.is_tensor()) return call(inputs.tensor(), options);
  if (inputs.size() == 1 && inputs[0].is_tensor()) return call(inputs[0].tensor(), options);
  return call(inputs);
}

Tensor Layer::compute_mask(const Nest&, const Tensor& mask) { return mask; }

CallSignature Layer::call_signature() const { return {}; }

Shape Layer::compute_output_shape(const Shape& input_shape) const {
  auto impl = std::make_shared<TensorImpl>();
  impl->dtype = compute_dtype();
  impl->shape = input_shape;
  impl->placeholder = std::make_shared<PlaceholderSource>();
  // The handle is const, the layer that it refers to is built if necessary.
  Layer& layer = LayerInternals::target(const_cast<Layer&>(*this));
  return layer.compute_output_spec(Tensor(std::move(impl))).tensor().shape();
}

Nest Layer::compute_output_spec(const Nest& inputs, const CallOptions& options) {
  Tensors leaves = inputs.flatten();
  check_input_spec(*this, leaves);
  std::vector<Shape> shapes;
  for (const Tensor& t : leaves) shapes.push_back(t.defined() ? t.shape() : Shape());
  ensure_built(shapes);
  return abstract_call(LayerInternals::target(*this), inputs, options);
}

void Layer::ensure_built(const std::vector<Shape>& input_shapes) {
  LayerState& state = *state_;
  if (state.built) return;
  check_assigned(state);
  become_original();
  Layer& target = LayerInternals::target(*this);
  const ir::TraceSuspension suspension;  // weights get values even if the call is traced
  const NameScope scope(*this);
  state.path = NameScope::path();
  if (const auto map = state.policy.map) {
    state.policy = map->at(state.path);
    state.policy.map = map;
  }
  LayerInternals::follow_original(state);
  // The weights of the constructor, or of a variable whose build() was called directly. That cannot
  // be told from here, except that `build` makes the latter again.
  const size_t trainable = state.trainable_weights.size();
  const size_t non_trainable = state.non_trainable_weights.size();
  {
    const ReplaceableSublayers replaceable(state);
    target.build(input_shapes);
  }
  replace_repeated(state.name, state.trainable_weights, trainable);
  replace_repeated(state.name, state.non_trainable_weights, non_trainable);
  state.build_shapes = input_shapes;
  state.built = true;
  LayerInternals::update_original(state);
}

Json Layer::get_config() const {
  Json config = Json::object();
  config["name"] = state_->name;
  config["trainable"] = state_->trainable;
  config["dtype"] = state_->policy.serialize();
  if (state_->activity_regularizer.given()) {
    config["activity_regularizer"] = regularizers::serialize(state_->activity_regularizer);
  }
  return config;
}

const std::string& Layer::class_name() const { return state_->class_name; }
const std::string& Layer::name() const { return state_->name; }
void Layer::set_name(const std::string& name) { state_->name = name; }
bool Layer::built() const { return state_->built; }
bool Layer::trainable() const { return state_->trainable; }
const DTypePolicy& Layer::dtype_policy() const { return state_->policy; }
const std::string& Layer::quantization_mode() const { return state_->policy.quantization_mode; }
void Layer::set_dtype_policy(const DTypePolicy& policy) {
  const std::shared_ptr<DTypePolicyMap> map = state_->policy.map;
  state_->policy = policy;
  if (map == nullptr || state_->path.empty()) return;
  state_->policy.map = std::make_shared<DTypePolicyMap>(*map);
  state_->policy.map->erase(state_->path);
  state_->policy.map->set(state_->path, policy);
}
DType Layer::variable_dtype() const { return state_->policy.variable_dtype; }
DType Layer::compute_dtype() const { return state_->policy.compute_dtype; }
bool Layer::supports_masking() const { return state_->supports_masking; }
void Layer::set_supports_masking(bool value) { state_->supports_masking = value; }
void Layer::set_input_spec(InputSpec spec) { state_->input_spec = std::move(spec); }
void Layer::set_autocast(bool value) { state_->autocast = value; }

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

std::vector<LayerPtr> Layer::sublayers() const {
  std::vector<LayerPtr> layers;
  for (const auto& [path, layer] : state_->sublayers) layers.push_back(layer);
  return layers;
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

void Layer::add_loss(const Tensor& loss) { state_->losses.push_back(loss); }

const Regularizer& Layer::activity_regularizer() const { return state_->activity_regularizer; }

void Layer::set_activity_regularizer(Regularizer regularizer) {
  state_->activity_regularizer = std::move(regularizer);
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

void Layer::quantize(const std::string& mode) {
  throw NotImplementedError(
      "Layer {} does not have a `quantize` method implemented. Received: mode={}", class_name(),
      mode);
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
  return variable;
}

void Layer::remove_weight(const Variable& weight) {
  std::erase(state_->trainable_weights, weight);
  std::erase(state_->non_trainable_weights, weight);
}

Tensor Layer::value_of(const Variable& weight) const {
  const Tensor value = weight.value();
  return is_floating(value.dtype()) && is_floating(compute_dtype()) &&
                 value.dtype() != compute_dtype()
             ? ops::cast(value, compute_dtype())
             : value;
}

SeedGenerator Layer::track(const std::string& name, SeedGenerator generator) {
  Variable state = generator.state();
  state.set_path(this->name() + "/" + name + "/" + kSeedState);
  state_->seed_generators.push_back(generator);
  return generator;
}

void Layer::track_layer(const std::string& name, LayerPtr layer) {
  for (size_t i = 0; i < state_->sublayers.size(); ++i) {
    auto& [path, present] = state_->sublayers[i];
    if (present.get() == layer.get()) return;
    if (path == name) {
      if (i < state_->replaceable_sublayers && !present->built() &&
          present->class_name() == layer->class_name()) {
        LayerInternals::state(*layer).held = true;
        present = std::move(layer);
        return;
      }
      throw ValueError(
          "Layer \"{}\" already has a part named \"{}\": names of parts must be unique.",
          this->name(), name);
    }
  }
  LayerInternals::state(*layer).held = true;
  state_->sublayers.emplace_back(name, std::move(layer));
}

std::string Layer::part_name(const std::string& class_name) const {
  const std::string base = to_snake_case(class_name);
  const auto taken = [this](const std::string& name) {
    return std::any_of(state_->sublayers.begin(), state_->sublayers.end(),
                       [&](const auto& part) { return part.first == name; });
  };
  std::string name = base;
  for (int number = 1; taken(name); ++number) name = format("{}_{}", base, number);
  return name;
}

Nest Layer::input() const {
  for (const auto& weak : state_->nodes) {
    if (const auto node = weak.lock())
      return node->is_input() ? placeholders_of(node) : node->inputs;
  }
  throw AttributeError("The layer \"{}\" has never been called and thus has no defined input.",
                       name());
}

Nest Layer::output() const {
  for (const auto& weak : state_->nodes) {
    if (const auto node = weak.lock()) return placeholders_of(node);
  }
  throw AttributeError("The layer \"{}\" has never been called and thus has no defined output.",
                       name());
}

}  // namespace antler
