#include "antler/nn/layer.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/format.h"
#include "antler/nn/dtype_policy_map.h"
#include "antler/nn/registry.h"
#include "base/scoped_value.h"
#include "base/strings.h"
#include "nn/layer_state.h"
#include "nn/seed_state.h"

namespace antler {

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
  state->autocast = options.autocast;
  return state;
}

void Layer::build(const Shape&) {}

void Layer::build(const std::vector<Shape>& input_shapes) {
  if (input_shapes.size() == 1) build(input_shapes[0]);
}

Tensor Layer::call(const Tensor& input) { return call(Nest(input)).tensor(); }

Tensor Layer::call(const Tensor& input, bool) { return call(input); }

Tensor Layer::call(const Tensor& input, const Tensor&) {
  return call(input, CallScope::training().value_or(false));
}

Tensor Layer::call(const Tensor& input, bool training, const Tensor& mask) {
  const CallScope scope(training);  // the next `call` has no `training`
  return call(input, mask);
}

Tensor Layer::call(const Tensor& input, const CallOptions& options) {
  return call(input, static_cast<bool>(options.training), options.mask);
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

namespace {
/// The layer whose default of one compute_mask() calls the other one; that one must not call back.
thread_local const Layer* t_asked_for_mask = nullptr;

/// Calls the other compute_mask() of `layer`, unless it is the one that calls.
template <class Input>
Tensor mask_of_other(Layer& layer, const Input& input, const Tensor& mask) {
  if (t_asked_for_mask == &layer) return mask;
  const ScopedValue<const Layer*> asked(t_asked_for_mask, &layer);
  return layer.compute_mask(input, mask);
}
}  // namespace

Tensor Layer::compute_mask(const Nest& inputs, const Tensor& mask) {
  return inputs.is_tensor() ? mask_of_other(*this, inputs.tensor(), mask) : mask;
}

Tensor Layer::compute_mask(const Tensor& input, const Tensor& mask) {
  return mask_of_other(*this, Nest(input), mask);
}

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

std::vector<LayerPtr> Layer::sublayers() const {
  std::vector<LayerPtr> layers;
  for (const auto& [path, layer] : state_->sublayers) layers.push_back(layer);
  return layers;
}

void Layer::add_loss(const Tensor& loss) { state_->losses.push_back(loss); }

const Regularizer& Layer::activity_regularizer() const { return state_->activity_regularizer; }

void Layer::set_activity_regularizer(Regularizer regularizer) {
  state_->activity_regularizer = std::move(regularizer);
}

void Layer::quantize(const std::string& mode) {
  throw NotImplementedError(
      "Layer {} does not have a `quantize` method implemented. Received: mode={}", class_name(),
      mode);
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
