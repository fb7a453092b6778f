#pragma once

#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/core/keyword.h"
#include "antler/nn/object_factory.h"
#include "antler/training/model.h"

/// Reads models from files; Model::save(), save_weights() and to_json() write them.
namespace antler {

/// Arguments of load_model after the path, in Keras's order.
struct LoadModelOptions {
  /// Classes, and functions that are losses or metrics, for this call only, by registered or plain
  /// name.
  CustomObjects custom_objects = {};
  /// Compile the model as saved, and load the optimizer's state.
  bool compile = true;
  bool safe_mode = true;  ///< has no effect: code in a file is never run
};

/// A model of any class, as a layer.
LayerPtr load_model_object(const std::string& path, const LoadModelOptions& options = {});

/// Loads a functional or sequential model from a `.keras` file or a folder with the same contents,
/// a whole-model `.h5` file or a SavedModel, written by Antler, Keras 2 or Keras 3: weights and, if
/// it was compiled, optimizer, losses and metrics. Throws ValueError if the path is not such a file
/// and for an invalid configuration or mismatched weights; IOError for damaged files; TypeError for
/// an unknown class and for a model of a custom class, which needs load_model<MyModel>().
Model load_model(const std::string& path, const LoadModelOptions& options = {});
ANTLER_KEYWORD_FUNCTION(load_model, LoadModelOptions, const std::string&)
/// Keras's spelling of Model::save(), save_weights() and load_weights().
inline void save_model(const Model& model, const std::string& path,
                       const SaveOptions& options = {}) {
  model.save(path, options);
}
ANTLER_KEYWORD_FUNCTION(save_model, SaveOptions, const Model&, const std::string&)
inline void save_weights(const Model& model, const std::string& path,
                         const SaveOptions& options = {}) {
  model.save_weights(path, options);
}
inline void load_weights(Model& model, const std::string& path,
                         const LoadWeightsOptions& options = {}) {
  model.load_weights(path, options);
}
/// A model of a registered class.
template <std::derived_from<Model> M>
M load_model(const std::string& path, const LoadModelOptions& options = {}) {
  const LayerPtr layer = load_model_object(path, options);
  if (const auto* model = dynamic_cast<const M*>(layer.get())) return *model;
  throw TypeError("load_model: the model in '{}' is a {}.", path, layer->class_name());
}

/// The argument of the following functions by name.
struct FromConfigOptions {
  CustomObjects custom_objects = {};  ///< as in LoadModelOptions
};

/// A model with new weights from the JSON of Model::to_json() or of Keras.
Model model_from_json(const std::string& json, const CustomObjects& custom_objects = {});
template <KeywordArgument K>
Model model_from_json(const std::string& json, K keyword) {
  return model_from_json(json, from_keywords<FromConfigOptions>(std::move(keyword)).custom_objects);
}
/// Removed in Keras; always throws RuntimeError.
[[noreturn]] Model model_from_yaml(const std::string& yaml);
/// The same from parsed JSON.
Model model_from_config(const Json& object, const CustomObjects& custom_objects = {});
template <KeywordArgument K>
Model model_from_config(const Json& object, K keyword) {
  return model_from_config(object,
                           from_keywords<FromConfigOptions>(std::move(keyword)).custom_objects);
}

}  // namespace antler
