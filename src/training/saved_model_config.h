#pragma once

#include <string>

#include "antler/base/json.h"

namespace antler::training {

/// Whether a folder is a SavedModel of TensorFlow.
bool is_saved_model(const std::string& path);
/// Whether it has the architecture of a model, as Keras 2's save() writes it.
bool has_saved_model_config(const std::string& path);
/// The object of the model ({"class_name", "config", "keras_version"}, and "compile_config" where
/// it was compiled) that Keras 2 keeps in a SavedModel beside its graph. Throws NotFoundError where
/// it has none.
Json saved_model_config(const std::string& path);

}  // namespace antler::training
