#pragma once

#include <functional>
#include <optional>
#include <string>

#include "antler/nn/layer.h"

namespace antler::saving {

/// The bytes of a file of a saved model, or nothing where there is none.
using AssetFile = std::function<std::optional<std::string>(const std::string& name)>;

/// Gives the layers inside of `layer` the vocabularies that Keras keeps beside the weights,
/// `assets/<path>/vocabulary.txt`. A layer that was given its vocabulary keeps it. Throws
/// ValueError that names the file for what is no vocabulary of its layer.
void read_assets(const AssetFile& file, Layer& layer);

}  // namespace antler::saving
