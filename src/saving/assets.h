#pragma once

#include <functional>
#include <optional>
#include <string>

#include "antler/nn/layer.h"

namespace antler::saving {

/// Returns the bytes of a file of a saved model, or nullopt if there is no such file.
using AssetFile = std::function<std::optional<std::string>(const std::string& name)>;

/// Restores the vocabularies of the layers inside `layer`. Keras stores them beside the weights as
/// `assets/<path>/vocabulary.txt`. A layer constructed with a vocabulary keeps it. Throws a
/// ValueError that names the file if it does not fit its layer.
void read_assets(const AssetFile& file, Layer& layer);

}  // namespace antler::saving
