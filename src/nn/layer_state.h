#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/nn/dtype_policy.h"
#include "antler/nn/functional_graph.h"
#include "antler/nn/layer.h"
#include "antler/nn/remat_scope.h"

namespace antler {

/// The state that all copies of a layer share.
///
/// It owns `instance`, the one object whose `build` and `call` run. Handles own the state, but the
/// instance only refers to it, so there is no cycle. A LayerPtr points to the instance and owns the
/// state.
struct LayerState : std::enable_shared_from_this<LayerState> {
  std::string class_name;
  std::string name;
  std::string path;  ///< "model/dense"; empty until the layer is built
  DTypePolicy policy;
  bool trainable = true;
  bool supports_masking = false;
  bool autocast = true;
  bool trains_by_default = false;  ///< `training` if no call sets it
  bool built = false;
  bool held = false;        ///< whether it is part of another layer
  bool unassigned = false;  ///< stands for a layer that was not given yet
  std::shared_ptr<const RematScopeOptions> remat = RematScope::current();
  Regularizer activity_regularizer;
  InputSpec input_spec;
  std::vector<Shape> build_shapes;

  Variables trainable_weights;
  Variables non_trainable_weights;
  Variables uncast_weights;  ///< those of the above that value_of() does not convert
  std::vector<SeedGenerator> seed_generators;
  std::vector<std::pair<std::string, LayerPtr>> sublayers;  ///< path name -> layer
  /// During `build`: how many of the sublayers there were before. If a variable's build() was
  /// called directly, `build` of the instance makes them again.
  size_t replaceable_sublayers = 0;
  Tensors losses;
  std::vector<std::weak_ptr<const GraphNode>> nodes;  ///< calls in functional graphs, oldest first

  /// The variable of the user that was shared first. It gets the members that `build` sets in the
  /// instance. Null if there is none, or if it is gone.
  Layer* original = nullptr;
  std::shared_ptr<Layer> instance;  ///< last, because its destructor looks at the others
};

/// Access to the private parts of layers for the sources that implement them.
struct LayerInternals {
  static LayerState& state(const Layer& layer) { return *layer.state_; }
  /// The object that runs: the shared instance, or the layer itself if its class cannot be shared.
  static Layer& target(Layer& layer);
  /// Gives the instance the members of the original, which may have changed since it was shared.
  static void follow_original(LayerState& state);
  /// Gives the original the members of the instance.
  static void update_original(LayerState& state);
  /// Layer::make_from_config().
  static LayerPtr make_from_config(const Layer& layer, const Json& config) {
    const std::unique_ptr<Layer> made = layer.make_from_config(config);
    return made == nullptr ? nullptr : made->share();
  }
  static void track(Layer& parent, const std::string& name, LayerPtr layer) {
    parent.track_layer(name, std::move(layer));
  }
};

/// The state that a call inherits from the calls around it. Thread-local.
class CallScope {
 public:
  explicit CallScope(std::optional<bool> training);
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  /// `training` of the innermost call; nothing outside calls.
  static std::optional<bool> training();
  static bool outermost();

 private:
  std::optional<bool> previous_training_;
};

/// The names of the layers that are being built or called, outermost first. They form the paths of
/// weights. Entering the same layer twice in a row counts once.
class NameScope {
 public:
  explicit NameScope(const Layer& layer);
  ~NameScope();
  NameScope(const NameScope&) = delete;
  NameScope& operator=(const NameScope&) = delete;
  /// "model/dense"; empty outside any scope.
  static std::string path();
  /// The innermost layer; null outside any scope.
  static const LayerState* innermost();

 private:
  bool pushed_;
};

/// Makes the layers that a layer calls its sublayers, like attributes in Python, so that they are
/// trained and saved even without track(). A layer is adopted if it belongs to no other layer and
/// outlives the call. A layer created inside the call would have new weights each time, which
/// causes a warning.
class AdoptionScope {
 public:
  explicit AdoptionScope(Layer& parent);
  ~AdoptionScope();
  AdoptionScope(const AdoptionScope&) = delete;
  AdoptionScope& operator=(const AdoptionScope&) = delete;
  /// Records that a built layer is called; does nothing outside the call of another layer.
  static void note_call(const Layer& layer);
  /// To be called at the end of the parent's call.
  void adopt();

 private:
  Layer& parent_;
  size_t begin_;
};

/// Throws ValueError, worded as in Keras, if the inputs do not fit the layer's InputSpec.
void check_input_spec(const Layer& layer, const Tensors& inputs);
/// Throws ValueError if an input is None and the layer needs all inputs.
void check_all_given(const Layer& layer, const Tensors& inputs);
/// Sets a weight to a value of any dtype. Throws ValueError if the shapes differ.
void store_value(const std::string& layer, const Variable& weight, const Tensor& value);
/// The values of `variables` in a file. If a variable is divided among parameter servers, Keras
/// writes its parts as separate variables; these are joined along axis 0.
VariableStore joined_parts(const VariableStore& store, const Variables& variables);
/// Drops the losses of a layer and of all layers inside it.
void clear_losses(Layer& layer);

}  // namespace antler
