#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layers/wrappers.h"
#include "antler/nn/mask.h"
#include "antler/nn/registry.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "nn/layers/classes.h"
#include "nn/layers/recurrent_loop.h"
#include "nn/nested_layer.h"

namespace antler {

template <class V>
void fields(V& v, BidirectionalOptions& o) {
  v("merge_mode", o.merge_mode);
  v("layer", o.layer);
  v("backward_layer", o.backward_layer);
}

namespace {

std::shared_ptr<RNN> as_rnn(const LayerPtr& layer, const char* what) {
  auto rnn = std::dynamic_pointer_cast<RNN>(layer);
  if (rnn != nullptr) return rnn;
  throw TypeError("Bidirectional: `{}` must be a recurrent layer, derived from RNN. Received: {}.",
                  what, layer == nullptr ? std::string("None") : layer->class_name());
}

/// "lstm" -> "forward_lstm"; a name that has the prefix is unchanged.
std::string prefixed(const char* prefix, const std::string& name) {
  return name.starts_with(prefix) ? name : prefix + name;
}

/// A new layer with the same configuration and another name.
LayerPtr remade(const LayerPtr& layer, const std::string& name, bool backwards) {
  Json object;
  write_field(object, layer);
  object["config"]["name"] = name;
  if (backwards) object["config"]["go_backwards"] = true;
  LayerPtr result;
  read_field(object, result);
  return result;
}

void check_same(bool forward, bool backward, const char* what) {
  if (forward == backward) return;
  throw ValueError(
      "Forward layer and backward layer are expected to have the same value for attribute \"{}\", "
      "got {} for forward layer and {} for backward layer",
      what, forward ? "True" : "False", backward ? "True" : "False");
}

}  // namespace

Bidirectional::Bidirectional(const LayerHandle& layer, BidirectionalOptions options)
    : Bidirectional(by_position<&BidirectionalOptions::layer>("Bidirectional", std::move(options),
                                                              layer.layer())) {}

Bidirectional::Bidirectional(const BidirectionalOptions& options) : LayerOf(options) {
  const auto given = as_rnn(options_.layer, "layer");
  const std::string mode = options_.merge_mode.value_or("");
  if (options_.merge_mode && mode != "sum" && mode != "mul" && mode != "ave" && mode != "concat") {
    throw ValueError(
        "Invalid merge mode. Received: {}. Merge mode should be one of {{\"sum\", \"mul\", "
        "\"ave\", \"concat\", None}}",
        mode);
  }
  options_.layer = remade(given, prefixed("forward_", given->name()), false);
  if (options_.backward_layer == nullptr) {
    options_.backward_layer = remade(given, prefixed("backward_", given->name()), true);
  }
  forward_ = as_rnn(options_.layer, "layer");
  backward_ = as_rnn(options_.backward_layer, "backward_layer");
  if (forward_->go_backwards() == backward_->go_backwards()) {
    throw ValueError(
        "Forward layer and backward layer should have different `go_backwards` value. Received: "
        "forward_layer.go_backwards and backward_layer.go_backwards = {}",
        forward_->go_backwards() ? "True" : "False");
  }
  check_same(forward_->stateful(), backward_->stateful(), "stateful");
  check_same(forward_->return_sequences(), backward_->return_sequences(), "return_sequences");
  check_same(forward_->return_state(), backward_->return_state(), "return_state");
  // Otherwise masked steps would repeat outputs, and the two directions would repeat different
  // ones.
  forward_->loop_.zero_output_for_mask = forward_->return_sequences();
  backward_->loop_.zero_output_for_mask = backward_->return_sequences();
  track_layer("forward_layer", options_.layer);
  track_layer("backward_layer", options_.backward_layer);
  set_supports_masking(true);
}

void Bidirectional::build(const Shape& input_shape) {
  forward_->ensure_built({input_shape});
  backward_->ensure_built({input_shape});
}

Nest Bidirectional::call(const Nest& inputs, const CallOptions& options) {
  const Tensor& x = only_sequence(*this, inputs);
  CallOptions forward{.training = options.training, .mask = options.mask};
  CallOptions backward = forward;
  if (const Nest states = options.tensors("initial_state"); !states.is_none()) {
    const size_t half = states.size() / 2;
    if (!states.is_list() || states.size() % 2 != 0) {
      throw ValueError(
          "Layer \"{}\": `initial_state` must be a list, the states of the forward layer then "
          "those of the backward layer. Received the structure {}.",
          name(), states.structure());
    }
    std::vector<Nest> parts[2];
    for (size_t i = 0; i < states.size(); ++i) parts[i < half ? 0 : 1].push_back(states[i]);
    forward.set("initial_state", Nest(std::move(parts[0])));
    backward.set("initial_state", Nest(std::move(parts[1])));
  }
  const Nest result = (*forward_)(Nest(x), forward);
  const Nest result_back = (*backward_)(Nest(x), backward);
  const bool with_states = forward_->return_state();
  const auto output_of = [&](const Nest& nest) {
    return ops::cast(with_states ? nest[0].tensor() : nest.tensor(), compute_dtype());
  };
  const Tensor y = output_of(result);
  Tensor y_back = output_of(result_back);
  if (forward_->return_sequences()) y_back = ops::reverse(y_back, {1});

  std::vector<Nest> all;
  const std::string mode = options_.merge_mode.value_or("");
  if (mode == "concat") {
    all.emplace_back(ops::concatenate({y, y_back}, -1));
  } else if (mode == "sum") {
    all.emplace_back(y + y_back);
  } else if (mode == "ave") {
    all.emplace_back((y + y_back) / Tensor(2.0));
  } else if (mode == "mul") {
    all.emplace_back(y * y_back);
  } else {
    // The output keeps the mask even if Keras does not pass it to the call.
    Tensor mask = options.mask.defined() ? options.mask : keras_mask(x);
    if (!forward_->return_sequences()) mask = {};
    all.emplace_back(with_keras_mask(y, mask));
    all.emplace_back(with_keras_mask(y_back, mask));
  }
  if (with_states) {
    for (size_t i = 1; i < result.size(); ++i) all.push_back(result[i]);
    for (size_t i = 1; i < result_back.size(); ++i) all.push_back(result_back[i]);
  }
  if (all.size() == 1) return all[0];
  return Nest(std::move(all));
}

Tensor Bidirectional::compute_mask(const Nest&, const Tensor& mask) {
  return forward_->return_sequences() ? mask : Tensor();
}

CallSignature Bidirectional::call_signature() const {
  return {{"sequences"}, {"initial_state", "mask", "training"}};
}

namespace {

LayerPtr bidirectional_from_config(const Json& config) {
  Json rest = config;
  rest.erase("weights");  // initial values; a saved model has its own
  return Bidirectional(options_from<BidirectionalOptions>(rest, "Bidirectional")).share();
}

}  // namespace

LayerClasses bidirectional_layers() {
  static constexpr LayerClass kClasses[] = {layer_class<Bidirectional>(bidirectional_from_config)};
  return kClasses;
}

}  // namespace antler
