#pragma once

#include <string>

#include "antler/training/saving.h"

namespace antler::cli {

/// Opens a model with weights: a .keras or .h5 file, or the folder of a SavedModel. Throws
/// ValueError with advice for a file of only weights or only an architecture.
Model open_model(const std::string& path, const LoadModelOptions& options = {});

/// Opens a model whose weights are not needed. Like open_model(), but also reads the .json of an
/// architecture.
Model open_architecture(const std::string& path, const LoadModelOptions& options = {});

/// Whether a path names a file of weights, judged by its extension.
bool is_weights(const std::string& path);

}  // namespace antler::cli
