#pragma once

#include <string>

#include "antler/nn/layer.h"

namespace antler::saving {

/// Whether the file name ends in .npz or .safetensors, which hold weights by name.
bool is_named_weights(const std::string& path);
/// Writes the weights of a layer or model as arrays named by their paths. The file is replaced
/// atomically.
void save_named_weights(const Layer& layer, const std::string& path);
/// Reads them back. Throws ValueError if names, shapes or dtypes do not match (nothing is changed
/// then), and IOError if the file cannot be read.
void load_named_weights(const Layer& layer, const std::string& path);

}  // namespace antler::saving
