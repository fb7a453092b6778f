#pragma once

#include <concepts>
#include <string>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/nn/object_factory.h"
#include "antler/training/model.h"

/// Models from files. What writes them is in Model: save(), save_weights(), to_json().
namespace antler {

/// Arguments of load_model behind the path, Keras's, in its order.
struct LoadModelOptions {
  /// Classes that only this call knows, by their registered or plain names.
  CustomObjects custom_objects = {};
  /// Compiles the model as it was, and loads the state of its optimizer.
  bool compile = true;
};

/// Any model of a file, as a layer; the ones below are for a known class.
LayerPtr load_model_object(const std::string& path, const LoadModelOptions& options = {});

/// A functional or sequential model of a `.keras` file (or of a folder with the same files), with
/// weights and, where it was compiled, its optimizer, losses and metrics. Reads what Keras 2 and 3
/// wrote. Throws ValueError for a path that is no such file, and for a configuration or weights
/// that do not fit; IOError for damaged weights; TypeError for a class that is not known, and for a
/// model of a class of its own, which load_model<MyModel>() gives.
Model load_model(const std::string& path, const LoadModelOptions& options = {});
/// Keras's functions for Model::save(), save_weights() and load_weights().
inline void save_model(const Model& model, const std::string& path,
                       const SaveOptions& options = {}) {
  model.save(path, options);
}
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
  throw TypeError("load_model: the model in '" + path + "' is a " + layer->class_name() + ".");
}

/// A model without weights from Model::to_json(), or Keras's.
Model model_from_json(const std::string& json, const CustomObjects& custom_objects = {});
/// Keras 2's name without its function: always throws RuntimeError.
[[noreturn]] Model model_from_yaml(const std::string& yaml);
/// model_from_json() from the parsed object.
Model model_from_config(const Json& object, const CustomObjects& custom_objects = {});
/// A model of the same architecture with new weights.
Model clone_model(const Model& model);

}  // namespace antler
