// The one object behind all copies of a layer: how it is made, shared and built.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/nn/dtype_policy_map.h"
#include "antler/nn/layer.h"
#include "nn/layer_state.h"

namespace antler {
namespace {

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

std::unique_ptr<Layer> Layer::clone_handle() const { return nullptr; }

std::unique_ptr<Layer> Layer::make_from_config(const Json&) const { return nullptr; }

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

}  // namespace antler
