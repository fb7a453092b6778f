#pragma once

#include <string>

#include "antler/base/json.h"

namespace antler::training {

/// Whether a folder is a SavedModel of TensorFlow.
bool is_saved_model(const std::string& path);
/// The object of the model ({"class_name", "config"}, and "compile_config" where it was compiled)
/// that Keras 2 keeps in a SavedModel beside its graph. Throws ValueError for a SavedModel that
/// was not written by Keras 2's save().
Json saved_model_config(const std::string& path);

}  // namespace antler::training
