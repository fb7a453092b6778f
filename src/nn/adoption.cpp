#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/nn/registry.h"
#include "nn/layer_state.h"

namespace antler {
namespace {

/// A layer that belongs to no other layer and was called by the layer of the current scope.
struct CalledLayer {
  std::weak_ptr<LayerState> state;
  std::string name;
  std::string class_name;
  bool has_weights;
};

thread_local std::vector<CalledLayer> t_called;

/// "dense", "dense_1", ...: names that do not depend on other objects of the process.
std::string part_name(const LayerState& parent, const std::string& class_name) {
  const std::string base = to_snake_case(class_name);
  std::string name = base;
  const auto is_taken = [&](const auto& part) { return part.first == name; };
  for (int i = 1; std::any_of(parent.sublayers.begin(), parent.sublayers.end(), is_taken); ++i) {
    name = format("{}_{}", base, i);
  }
  return name;
}

void warn_of_new_weights(const CalledLayer& layer, const LayerState& parent) {
  logging::warning(
      format("Layer \"{}\" (class {}) was created inside the call of \"{}\" (class {}): each "
             "call creates new weights, which are neither trained nor saved. Make it a member of "
             "{}.",
             layer.name, layer.class_name, parent.name, parent.class_name, parent.class_name));
}

}  // namespace

AdoptionScope::AdoptionScope(Layer& parent) : parent_(parent), begin_(t_called.size()) {}

AdoptionScope::~AdoptionScope() { t_called.resize(std::min(begin_, t_called.size())); }

void AdoptionScope::note_call(const Layer& layer) {
  LayerState& state = LayerInternals::state(layer);
  const LayerState* const parent = NameScope::innermost();
  if (state.held || parent == nullptr || parent == &state) return;
  t_called.push_back(
      {state.weak_from_this(), state.name, state.class_name, !layer.weights().empty()});
}

void AdoptionScope::adopt() {
  LayerState& parent = LayerInternals::state(parent_);
  // Adopting a layer runs no user code, so no entry is added during this loop.
  for (size_t i = begin_; i < t_called.size(); ++i) {
    const CalledLayer& called = t_called[i];
    const std::shared_ptr<LayerState> state = called.state.lock();
    if (state == nullptr || state->instance == nullptr) {
      if (called.has_weights) warn_of_new_weights(called, parent);
    } else if (!state->held) {
      LayerInternals::track(parent_, part_name(parent, called.class_name),
                            LayerPtr(state, state->instance.get()));
    }
  }
  t_called.resize(begin_);
}

}  // namespace antler
