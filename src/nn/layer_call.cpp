// What happens when a layer is called: Keras's Layer.__call__.
#include <algorithm>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/mask.h"
#include "antler/ops/elementwise.h"
#include "nn/layer_state.h"

namespace antler {
namespace {

/// Floating inputs in the layer's compute dtype. A mask stays with its tensor.
Tensor convert_input(const LayerState& state, const Tensor& x) {
  const DType dtype = state.policy.compute;
  if (!x.defined() || !state.autocast || !is_floating(x.dtype()) || !is_floating(dtype)) return x;
  if (x.dtype() == dtype && !x.is_weak()) return x;
  return with_keras_mask(ops::cast(x, dtype), keras_mask(x));
}

/// The mask that the first input carries.
Tensor first_mask(const Tensors& inputs) {
  for (const Tensor& x : inputs) {
    if (Tensor mask = keras_mask(x); mask.defined()) return mask;
  }
  return {};
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

Nest invoke(Layer& handle, const Nest& arguments, const CallOptions& given) {
  Layer& layer = LayerInternals::target(handle);
  LayerState& state = LayerInternals::state(layer);
  const std::shared_ptr<LayerState> keep =
      state.shared_from_this();  // `Dense(10)(x)` ends the handle early

  Tensors leaves = arguments.flatten();
  const auto is_placeholder = [](const Tensor& t) { return t.is_placeholder(); };
  if (std::any_of(leaves.begin(), leaves.end(), is_placeholder) || given.mask.is_placeholder()) {
    return record_call(handle.share(), arguments, given);
  }

  for (Tensor& x : leaves) x = convert_input(state, x);
  const Nest inputs = arguments.pack(leaves);
  check_input_spec(layer, leaves);
  if (!state.built) {
    std::vector<Shape> shapes;
    for (const Tensor& x : leaves) shapes.push_back(x.defined() ? x.shape() : Shape());
    layer.ensure_built(shapes);
  }

  CallOptions options = given;
  if (!options.training) options.training = CallScope::training().value_or(false);
  if (!options.mask.defined()) options.mask = first_mask(leaves);
  if (CallScope::outermost()) clear_losses(layer);
  const NameScope name(layer);
  const CallScope scope(options.training);
  const Nest outputs = layer.call(inputs, options);
  return state.supports_masking ? attach_mask(layer, inputs, outputs, options.mask) : outputs;
}

Tensor only_output(const Layer& layer, const Nest& output) {
  if (output.is_tensor()) return output.tensor();
  throw TypeError("Layer \"" + layer.name() + "\" gave a structure of outputs (" +
                  output.structure() +
                  ") where one tensor was expected: pass the input as a Nest to get all of them.");
}

}  // namespace

Tensor Layer::operator()(const Tensor& input, const CallOptions& options) {
  return only_output(*this, invoke(*this, input, options));
}

Tensor Layer::operator()(std::initializer_list<Tensor> inputs, const CallOptions& options) {
  return only_output(*this, invoke(*this, Tensors(inputs), options));
}

Nest Layer::operator()(const Nest& inputs, const CallOptions& options) {
  return invoke(*this, inputs, options);
}

}  // namespace antler
