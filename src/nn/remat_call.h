#pragma once

#include <optional>

#include "antler/autodiff/remat.h"
#include "antler/core/nest.h"
#include "nn/layer_state.h"

namespace antler {

/// During its lifetime, applies the RematScope in which a layer was created to a call of the layer.
class RematCall {
 public:
  explicit RematCall(const LayerState& layer);
  ~RematCall();
  RematCall(const RematCall&) = delete;
  RematCall& operator=(const RematCall&) = delete;
  /// Must be called with the outputs of the call, for the mode "larger_than".
  void finish(const Nest& outputs);
  /// Whether the innermost call of this thread has the mode "activations".
  static bool recomputes_activations();

 private:
  const RematScopeOptions* options_;
  std::optional<RematRegion> region_;
  bool previous_;
};

}  // namespace antler
