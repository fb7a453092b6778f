#include "training/compiled_call.h"

#include <algorithm>
#include <utility>

#include "antler/base/error.h"
#include "antler/core/string_handles.h"
#include "antler/core/variable.h"
#include "antler/ir/emit.h"
#include "antler/ir/tracer.h"
#include "antler/nn/layers/adaptable.h"
#include "antler/nn/mask.h"
#include "antler/nn/registry.h"
#include "antler/runtime/config.h"
#include "nn/layer_state.h"
#include "nn/op_layer.h"

namespace antler::training {
namespace {

/// A model that exceeds this number of programs keeps changing shapes or flags: the cache is
/// cleared.
constexpr int64_t kMaxPrograms = 16;

/// After more failed traces than this, calls are no longer compiled.
constexpr int kMaxFailures = 3;

/// Appends a layer and its sublayers. False if one of them runs user code or has state outside of
/// variables.
bool collect(const LayerPtr& layer, std::vector<LayerPtr>& all) {
  const bool is_op = dynamic_cast<const OpLayer*>(layer.get()) != nullptr;
  const bool user_code = layer->class_name() == "Lambda" || !(is_op || is_built_in_layer(*layer));
  const bool has_other_state = dynamic_cast<const Adaptable*>(layer.get()) != nullptr;
  const LayerState& state = LayerInternals::state(*layer);
  if (user_code || has_other_state || state.activity_regularizer.given()) return false;
  all.push_back(layer);
  return std::all_of(state.sublayers.begin(), state.sublayers.end(),
                     [&](const auto& named) { return collect(named.second, all); });
}

/// Whether a tracer, a tape or a variable scope on this thread observes or redirects ops.
bool is_observed() {
  if (ir::Tracer::current() != nullptr) return true;
  if (current_variable_scope() != nullptr) return true;
  const ir::ObserverSuspension probe;
  return probe.hides_any();
}

}  // namespace

CompiledCall::CompiledCall(const FunctionalGraph& graph) : graph_(graph) {
  for (const LayerPtr& layer : graph.operations()) {
    if (collect(layer, layers_)) continue;
    layers_.clear();
    return;
  }
}

bool CompiledCall::can_compile(const Nest& inputs, const CallOptions& options) const {
  if (layers_.empty() || failures_ > kMaxFailures || !options.training.given() ||
      options.mask.defined() || !options.initial_state.is_none() || !options.arguments.empty() ||
      config::run_functions_eagerly() || is_observed()) {
    return false;
  }
  const Tensors leaves = inputs.flatten();
  // Strings are excluded: whether a layer accepts them is known only when an op receives them.
  return std::all_of(leaves.begin(), leaves.end(), [](const Tensor& t) {
    return t.defined() && t.is_value() && !keras_mask(t).defined() && !holds_strings(t);
  });
}

std::string CompiledCall::key_of(bool training) const {
  std::string key = training ? "t" : "i";
  const auto append = [&](const auto& value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  append(config::threads());
  append(config::deterministic());
  for (const LayerPtr& layer : layers_) {
    const LayerState& state = LayerInternals::state(*layer);
    key += state.trainable ? '+' : '-';
    key += state.policy.name;
    key += state.policy.quantization_mode;
    for (const Variables* group : {&state.trainable_weights, &state.non_trainable_weights}) {
      for (const Variable& v : *group) append(v.id());
    }
  }
  return key;
}

Function CompiledCall::function_for(bool training) {
  const std::string key = key_of(training);
  const std::lock_guard lock(mutex_);
  int64_t programs = 0;
  for (const auto& [other, function] : functions_) programs += function.trace_count();
  if (programs > kMaxPrograms) functions_.clear();
  Function& known = functions_[key];
  if (!known.defined()) {
    const CallOptions options{.training = training};
    known = Function(
        [this, options](const Nest& inputs) {
          Nest outputs = graph_.run(inputs, options);
          const auto adds_loss = [](const LayerPtr& layer) {
            return !LayerInternals::state(*layer).losses.empty();
          };
          const Tensors leaves = outputs.flatten();
          const auto carries_mask = [](const Tensor& t) { return keras_mask(t).defined(); };
          // A program returns plain tensors: losses and masks would be lost.
          if (std::any_of(layers_.begin(), layers_.end(), adds_loss) ||
              std::any_of(leaves.begin(), leaves.end(), carries_mask)) {
            throw NotImplementedError("A compiled call cannot return losses or masks.");
          }
          return outputs;
        },
        {.name = "call"});
  }
  return known;
}

std::optional<Nest> CompiledCall::run(const Nest& inputs, const CallOptions& options) {
  if (!can_compile(inputs, options)) return std::nullopt;
  try {
    return function_for(static_cast<bool>(options.training))(inputs);
  } catch (const Error&) {
    for (const LayerPtr& layer : layers_) LayerInternals::state(*layer).losses.clear();
  }
  // Invalid inputs throw the layers' own errors here and do not count as failed traces.
  Nest outputs = graph_.run(inputs, options);
  ++failures_;
  return outputs;
}

}  // namespace antler::training
