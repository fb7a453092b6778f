#pragma once

#include <utility>
#include <vector>

#include "antler/nn/layer.h"

namespace antler::training {

/// The `trainable` flags of a model and of all layers inside, outermost first.
class TrainableState {
 public:
  TrainableState() = default;
  explicit TrainableState(Layer& model);
  /// Sets the flags as they were. Layers that were not there keep theirs.
  void restore(Layer& model) const;
  bool matches(const Layer& model) const;

 private:
  bool model_ = true;
  std::vector<std::pair<LayerPtr, bool>> layers_;
};

/// Keras's compiled trainable state: while it lives, the flags are those of compile().
class CompiledTrainable {
 public:
  CompiledTrainable(Layer& model, const TrainableState& compiled);
  ~CompiledTrainable();
  CompiledTrainable(const CompiledTrainable&) = delete;
  CompiledTrainable& operator=(const CompiledTrainable&) = delete;

 private:
  Layer* model_;  // null: nothing to undo
  TrainableState present_;
};

}  // namespace antler::training
