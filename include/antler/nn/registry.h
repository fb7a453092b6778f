#pragma once

#include <map>
#include <string>
#include <vector>

#include "antler/base/json.h"
#include "antler/nn/layer.h"

namespace antler {

/// Class names of all layers that can be made from a configuration; built-in ones first.
std::vector<std::string> registered_layers();
/// Whether the library has a class of this name.
bool is_built_in_layer(const std::string& class_name);
/// Whether the object's class is the library's own. A user's class may have the same name.
bool is_built_in_layer(const Layer& layer);
/// A layer from its class name and its get_config(). Throws ValueError for unknown names and for
/// fields that the layer does not have.
LayerPtr layer_from_config(const std::string& class_name, const Json& config);
/// A layer in Keras's form: {"module", "class_name", "config", "registered_name"}.
Json serialize_layer(const Layer& layer);
/// The reverse. Looks for a registered class `registered_name`, then for `class_name`. Also creates
/// the operations of keras.ops that occur in functional models. Throws TypeError for an unknown
/// class, and ValueError for an unknown class of Keras's modules or a wrong configuration.
LayerPtr deserialize_layer(const Json& object);

/// Keras's clear_session(): resets the counters of automatic names ("dense", "dense_1", ...) and
/// the global dtype policy.
void clear_session();
/// During its lifetime, automatic names of this thread have their own counters, starting at zero.
class NameCounters {
 public:
  NameCounters();
  ~NameCounters();
  NameCounters(const NameCounters&) = delete;
  NameCounters& operator=(const NameCounters&) = delete;

 private:
  friend std::string unique_name(const std::string& prefix);
  std::map<std::string, int> counts_;
  NameCounters* previous_;
};
/// "dense" for the first call with "dense", then "dense_1", ...; counted per process.
std::string unique_name(const std::string& prefix);
/// "MaxPooling2D" -> "max_pooling2d", as Keras names layers.
std::string to_snake_case(const std::string& class_name);

}  // namespace antler
