#pragma once

#include <string>
#include <utility>

#include "antler/nn/registry.h"

/// Keras's functions about classes that were made known (keras.saving).
namespace antler {

/// The name under which a layer's class was registered ("package>Class"), else its class name.
std::string get_registered_name(const Layer& layer);
/// What makes the class of this name, with or without its package: from `custom_objects`, else from
/// the scopes of this thread and what was registered. Empty where there is none.
LayerFactory get_registered_object(const std::string& name,
                                   const CustomObjects& custom_objects = {});
/// All classes that are known by name: those of the scopes of this thread, then those registered.
CustomObjects get_custom_objects();

/// Makes a class known under "package>class_name"; it has a static `from_config(const Json&)` that
/// gives the layer (Keras's decorator of this name).
template <class L>
void register_keras_serializable(const std::string& class_name,
                                 const std::string& package = "Custom") {
  register_layer(package + ">" + class_name,
                 [](const Json& config) { return L::from_config(config).share(); });
}

/// Keras's older name of the class.
using custom_object_scope = CustomObjectScope;  // NOLINT(readability-identifier-naming)

}  // namespace antler
