#pragma once

#include <string>

#include "antler/nn/layer.h"

namespace antler::saving {

/// Whether a file of this name holds weights by name: .npz or .safetensors.
bool is_named_weights(const std::string& path);
/// Writes the weights of a layer or model as arrays named by their paths. Written to a temporary
/// name and renamed, so that a file of that name is whole at any time.
void save_named_weights(const Layer& layer, const std::string& path);
/// Reads them back. Throws ValueError when names, shapes or dtypes do not match (nothing is changed
/// then) and IOError for a file that cannot be read.
void load_named_weights(const Layer& layer, const std::string& path);

}  // namespace antler::saving
