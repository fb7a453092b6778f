#pragma once

#include <utility>
#include <vector>

#include "antler/nn/layer.h"

namespace antler::training {

/// The `trainable` flags of a model and all its layers, outermost first.
class TrainableState {
 public:
  TrainableState() = default;
  explicit TrainableState(Layer& model);
  /// Restores the flags. Layers added since keep theirs.
  void restore(Layer& model) const;
  bool matches(const Layer& model) const;

 private:
  bool model_ = true;
  std::vector<std::pair<LayerPtr, bool>> layers_;
};

/// Restores the flags of compile() for the duration of a scope (Keras's compiled trainable state).
class CompiledTrainable {
 public:
  CompiledTrainable(Layer& model, const TrainableState& compiled);
  ~CompiledTrainable();
  CompiledTrainable(const CompiledTrainable&) = delete;
  CompiledTrainable& operator=(const CompiledTrainable&) = delete;

 private:
  Layer* model_;  // null if nothing was changed
  TrainableState current_;
};

}  // namespace antler::training
