#pragma once

#include <string>

#include "antler/base/json.h"

namespace antler::training {

/// Whether a folder is a TensorFlow SavedModel.
bool is_saved_model(const std::string& path);
/// Whether it also contains the model's architecture, as written by Keras 2.
bool has_saved_model_config(const std::string& path);
/// The architecture that Keras 2 writes next to the graph of a SavedModel: {"class_name", "config",
/// "keras_version"}, and "training_config" if the model was compiled. Throws NotFoundError if there
/// is none.
Json saved_model_config(const std::string& path);

}  // namespace antler::training
