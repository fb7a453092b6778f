// Calls a layer, like Keras's Layer.__call__.
#include <algorithm>
#include <utility>

#include "antler/base/error.h"
#include "antler/core/variable_origin.h"
#include "antler/nn/mask.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "base/strings.h"
#include "base/throw_again.h"
#include "ir/traced_origin.h"
#include "nn/layer_state.h"
#include "nn/remat_call.h"
#include "nn/stand_ins.h"

namespace antler {
namespace {

/// Casts floating-point inputs to the compute dtype of the layer. A tensor keeps its mask.
Tensor convert_input(const LayerState& state, const Tensor& x) {
  const DType dtype = state.policy.compute_dtype;
  if (!x.defined() || !state.autocast || !is_floating(x.dtype()) || !is_floating(dtype)) return x;
  if (x.dtype() == dtype && !x.is_weak()) return x;
  return with_keras_mask(ops::cast(x, dtype), keras_mask(x));
}

bool any_placeholder(const Tensors& tensors) {
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const Tensor& t) { return t.is_placeholder(); });
}

/// Whether all inputs are None. (No inputs at all are an empty list.)
bool is_without_tensor(const Tensors& inputs) {
  return !inputs.empty() &&
         std::none_of(inputs.begin(), inputs.end(), [](const Tensor& x) { return x.defined(); });
}

/// Whether an argument passed by name holds a tensor.
bool any_tensor(const CallOptions& options) {
  const auto defined = [](const Nest& nest) {
    const Tensors leaves = nest.flatten();
    return std::any_of(leaves.begin(), leaves.end(), [](const Tensor& t) { return t.defined(); });
  };
  return defined(options.initial_state) ||
         std::any_of(options.arguments.begin(), options.arguments.end(), [&](const auto& argument) {
           const Nest* nest = std::get_if<Nest>(&argument.second);
           return nest != nullptr && defined(*nest);
         });
}

/// Fills in masks that were not given, from the masks of the inputs. As in Keras: if the inputs are
/// the only tensors of the call, `mask` is the mask of the first one, and a list of inputs also
/// gets "mask" with one entry per input. Inputs passed one by one get "query_mask" and so on.
void populate_masks(const Layer& layer, const Nest& inputs, CallOptions& options) {
  const Tensors leaves = inputs.flatten();
  const auto has_mask = [](const Tensor& x) { return keras_mask(x).defined(); };
  if (std::none_of(leaves.begin(), leaves.end(), has_mask)) return;
  const CallSignature signature = layer.call_signature();
  if (signature.inputs.size() == 1) {
    if (any_tensor(options)) return;
    if (!options.mask.defined()) options.mask = keras_mask(leaves[0]);
    if (inputs.is_list()) options.set("mask", inputs.map(keras_mask));
    return;
  }
  if (!inputs.is_list()) return;
  for (size_t i = 0; i < inputs.size() && i < signature.inputs.size(); ++i) {
    const std::string name = signature.inputs[i] + "_mask";
    if (std::find(signature.keywords.begin(), signature.keywords.end(), name) !=
            signature.keywords.end() &&
        options.find(name) == nullptr && inputs[i].is_tensor() && has_mask(inputs[i].tensor())) {
      options.set(name, Nest(keras_mask(inputs[i].tensor())));
    }
  }
}

Nest attach_mask(Layer& layer, const Nest& inputs, const Nest& outputs, const Tensor& previous) {
  const Tensor mask = layer.compute_mask(inputs, previous);
  if (!mask.defined()) return outputs;
  bool first = true;
  return outputs.map([&](const Tensor& x) {
    if (!std::exchange(first, false) || !x.defined() || keras_mask(x).defined()) return x;
    return with_keras_mask(x, mask);
  });
}

/// Adds the activity penalty of the outputs to the losses of the layer.
void regularize_activity(Layer& layer, const Nest& outputs) {
  const Regularizer& regularizer = LayerInternals::state(layer).activity_regularizer;
  if (!regularizer.given()) return;
  for (const Tensor& output : outputs.flatten()) {
    if (!output.defined()) continue;
    Tensor loss = regularizer(output);
    // Divided by the batch size, so that it does not influence the weight against other losses.
    if (output.rank() > 0 && output.shape()[0] > 0) {
      loss = loss / Tensor(static_cast<double>(output.shape()[0]));
    }
    layer.add_loss(loss);
  }
}

/// Rethrows the current error. Adds a sentence that names this layer, unless the message already
/// names a layer.
[[noreturn]] void throw_with_layer(const Error& error, const Layer& layer, const Nest& arguments) {
  const std::string text = error.what();
  bool says = text.find("ayer \"") != std::string::npos;
  for (const char* quote : {"'", "`"}) {
    says = says || text.find(quote + layer.name() + quote) != std::string::npos;
  }
  if (says) throw;
  const auto shape_of = [](const Tensor& x) {
    return x.defined() ? x.shape().str() : std::string("None");
  };
  throw_again(error, with_sentence(text, format("In layer \"{}\" (class {}), called on {}.",
                                                layer.name(), layer.class_name(),
                                                join(arguments.flatten(), ", ", shape_of))));
}

/// Lets the distribution strategy decide where the outputs of the current layer are computed.
Nest placed(const Nest& outputs) {
  const VariableOrigin& origin = current_variable_origin();
  if (origin == nullptr) return outputs;
  const std::string path = NameScope::path() + "/output";
  return outputs.map([&](const Tensor& x) {
    return x.defined() && x.is_traced() ? origin->place_output(path, x) : x;
  });
}

Nest call_layer(Layer& layer, const Nest& inputs, const CallOptions& options) {
  const ir::OriginScope origin(ir::traced_origin(NameScope::path));
  RematCall remat(LayerInternals::state(layer));
  Nest outputs = layer.call(inputs, options);
  remat.finish(outputs);
  return outputs;
}

/// A call on values or traced tensors. `leaves` are the tensors of the inputs, `extra` those of the
/// options.
Nest call_on_tensors(Layer& layer, const Nest& arguments, const CallOptions& given, Tensors leaves,
                     Tensors extra) {
  LayerState& state = LayerInternals::state(layer);
  for (Tensor& x : leaves) x = convert_input(state, x);
  check_input_spec(layer, leaves);
  const bool is_first = !state.built;
  if (is_first) {
    std::vector<Shape> shapes;
    for (const Tensor& x : leaves)
      shapes.push_back(x.defined() ? without_stand_ins(x.shape()) : Shape());
    layer.ensure_built(shapes);
    if (state.policy.map != nullptr) {
      // A policy map needs the path of the layer, which is known only now.
      leaves = arguments.flatten();
      for (Tensor& x : leaves) x = convert_input(state, x);
    }
  }
  const Nest inputs = arguments.pack(leaves);

  for (Tensor& x : extra) x = convert_input(state, x);
  CallOptions options = extra.empty() ? given : given.with_leaves(extra);
  if (!options.training.given())
    options.training = CallScope::training().value_or(state.trains_by_default);
  // The mask for compute_mask(), even if the call does not get it.
  const Tensor mask =
      options.mask.defined() || leaves.empty() ? options.mask : keras_mask(leaves[0]);
  populate_masks(layer, inputs, options);
  if (CallScope::outermost()) clear_losses(layer);
  AdoptionScope::note_call(layer);
  const NameScope name(layer);
  const CallScope scope(options.training.value_or(false));
  AdoptionScope called(layer);
  const Nest outputs = placed(call_layer(layer, inputs, options));
  called.adopt();
  if (is_first) LayerInternals::update_original(state);
  regularize_activity(layer, outputs);
  return state.supports_masking ? attach_mask(layer, inputs, outputs, mask) : outputs;
}

/// Moves inputs that were given by name, `attention(x, kw::value = x)`, behind those given by
/// position. Returns whether there are any.
bool take_named_inputs(const Layer& layer, Nest& arguments, CallOptions& options) {
  const std::vector<std::string> names = layer.call_signature().inputs;
  std::vector<Nest> inputs;
  if (arguments.is_list() && names.size() > 1) {
    for (size_t i = 0; i < arguments.size(); ++i) inputs.push_back(arguments[i]);
  } else {
    inputs.push_back(arguments);
  }
  const size_t by_position = inputs.size();
  for (size_t i = by_position; i < names.size(); ++i) {
    const CallValue* value = options.find(names[i]);
    if (value == nullptr) continue;
    inputs.resize(i);  // None for those left out
    inputs.push_back(options.tensors(names[i]));
    std::erase_if(options.arguments, [&](const auto& entry) { return entry.first == names[i]; });
  }
  if (inputs.size() == by_position) return false;
  arguments = Nest(std::move(inputs));
  return true;
}

Nest invoke(const Layer& handle, const Nest& arguments, const CallOptions& given) {
  if (!given.arguments.empty()) {  // most calls need no copies
    Nest all = arguments;
    CallOptions others = given;
    if (take_named_inputs(handle, all, others)) return invoke(handle, all, others);
  }
  Layer& layer = LayerInternals::target(const_cast<Layer&>(handle));  // as in share()
  const std::shared_ptr<LayerState> keep =
      LayerInternals::state(layer).shared_from_this();  // `Dense(10)(x)`: the handle is a temporary
  Tensors leaves = arguments.flatten();
  Tensors extra = given.leaves();
  if (is_without_tensor(leaves)) {
    throw ValueError(
        "Layer \"{}\" (class {}) was called on None. Expected a tensor or a structure of tensors.",
        layer.name(), layer.class_name());
  }
  if (any_placeholder(leaves) || any_placeholder(extra)) {
    return record_call(handle.share(), arguments, given);
  }
  try {
    return call_on_tensors(layer, arguments, given, std::move(leaves), std::move(extra));
  } catch (const Error& error) {
    throw_with_layer(error, layer, arguments);
  }
}

Tensor only_output(const Layer& layer, const Nest& output) {
  if (output.is_tensor()) return output.tensor();
  // A list of one tensor counts as the tensor, as in Keras's models.
  if (const Tensors all = output.flatten(); output.is_list() && all.size() == 1) return all[0];
  throw TypeError(
      "Layer \"{}\" returned several outputs ({}), but one tensor was expected. To get all of "
      "them, pass the input as a Nest: `const Nest outputs = layer(Nest(x));`.",
      layer.name(), output.structure());
}

}  // namespace

Tensor Layer::operator()(const Tensor& input, const CallOptions& options) const {
  return only_output(*this, invoke(*this, input, options));
}

Tensor Layer::operator()(std::initializer_list<Tensor> inputs, const CallOptions& options) const {
  return only_output(*this, invoke(*this, Tensors(inputs), options));
}

Tensor Layer::operator()(const Tensor& input, const CallOptions& options) {
  become_original();
  return std::as_const(*this)(input, options);
}

Tensor Layer::operator()(std::initializer_list<Tensor> inputs, const CallOptions& options) {
  become_original();
  return std::as_const(*this)(inputs, options);
}

Nest Layer::operator()(const Nest& inputs, const CallOptions& options) {
  become_original();
  return std::as_const(*this)(inputs, options);
}

Tensor Layer::call_one_by_one(const Tensors& inputs, const CallOptions& options) const {
  return only_output(*this, call_for_all_outputs(inputs, options));
}

Nest Layer::call_for_all_outputs(const Tensors& inputs, const CallOptions& options) const {
  const std::vector<std::string> names = call_signature().inputs;
  if (names.size() < inputs.size()) {
    throw TypeError(
        "Layer \"{}\" (class {}) takes {} input(s) by position, but {} were given. A list of "
        "inputs must be in braces: layer({{a, b}}). In a layer of your own, the second tensor of "
        "`call` is the mask; for several inputs, override `call(const Tensors& inputs)`.",
        name(), class_name(), names.size(), inputs.size());
  }
  return invoke(*this, inputs, options);
}

Nest Layer::operator()(const Nest& inputs, const CallOptions& options) const {
  return invoke(*this, inputs, options);
}

}  // namespace antler
