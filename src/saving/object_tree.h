#pragma once

#include <string>
#include <utility>
#include <vector>

#include "antler/nn/layer.h"

namespace antler::saving {

/// A layer with its path in Keras's files.
struct TreeEntry {
  std::string path;
  LayerPtr layer;
};

/// The layers directly inside, with their paths below the layer's own. Those of a functional or
/// sequential model are the container "layers", each under its class name in snake case, numbered
/// where it repeats; others bear the names under which they were tracked.
std::vector<TreeEntry> children_of(const Layer& layer);

}  // namespace antler::saving
