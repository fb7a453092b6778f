#pragma once

#include <string>

#include "antler/training/saving.h"

namespace antler::cli {

/// A model with its weights: a .keras or .h5 file, or the folder of a SavedModel. Throws
/// ValueError, which says what to do, for weights alone and for an architecture alone.
Model open_model(const std::string& path, const LoadModelOptions& options = {});

/// A model of which the layers are asked for: as open_model(), or the .json of an architecture.
Model open_architecture(const std::string& path, const LoadModelOptions& options = {});

/// Whether the ending of a name is that of a file of weights alone.
bool is_weights(const std::string& path);

}  // namespace antler::cli
