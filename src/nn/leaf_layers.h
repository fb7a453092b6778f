#pragma once

#include <set>
#include <vector>

#include "antler/nn/layer.h"

namespace antler {

/// Appends the layers that hold no layers, in order and each once; `seen` holds those met before.
inline void append_leaf_layers(const LayerPtr& layer, std::set<const LayerState*>& seen,
                               std::vector<LayerPtr>& out) {
  if (!seen.insert(layer->state().get()).second) return;
  const std::vector<LayerPtr> inner = layer->sublayers();
  if (inner.empty()) out.push_back(layer);
  for (const LayerPtr& child : inner) append_leaf_layers(child, seen, out);
}

}  // namespace antler
