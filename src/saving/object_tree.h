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

/// The direct sublayers with their paths relative to `layer`. In a functional or sequential model
/// the path is "layers/" and the class name in snake case, numbered if it repeats; elsewhere it is
/// the name under which the sublayer is tracked.
std::vector<TreeEntry> children_of(const Layer& layer);

/// "group/name", or "name" if the group is empty (the root).
inline std::string join_path(const std::string& group, const std::string& name) {
  return group.empty() ? name : group + "/" + name;
}

}  // namespace antler::saving
