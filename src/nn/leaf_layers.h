#pragma once

#include <set>
#include <vector>

#include "antler/nn/layer.h"

namespace antler {

/// Appends the layers that contain no layers, in order, each of them once. `seen` has the layers
/// that were visited before.
inline void append_leaf_layers(const LayerPtr& layer, std::set<const LayerState*>& seen,
                               std::vector<LayerPtr>& out) {
  if (!seen.insert(layer->state().get()).second) return;
  const std::vector<LayerPtr> inner = layer->sublayers();
  if (inner.empty()) out.push_back(layer);
  for (const LayerPtr& child : inner) append_leaf_layers(child, seen, out);
}

}  // namespace antler
