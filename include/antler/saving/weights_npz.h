#pragma once

#include <string>

#include "antler/nn/layer.h"

namespace antler::saving {

/// Writes the weights of a layer or model as an .npz: one array per weight, named by its path.
/// Written to a temporary name and renamed, so that a file of that name is whole at any time.
void save_weights_npz(const Layer& layer, const std::string& path);
/// Reads them back. Throws ValueError when names, shapes or dtypes do not match (nothing is changed
/// then) and IOError for a file that cannot be read.
void load_weights_npz(const Layer& layer, const std::string& path);

}  // namespace antler::saving
