#include "antler/training/keras_modules.h"

#include <nlohmann/json.hpp>

namespace antler::layers {

Json serialize(const Layer& layer) { return serialize_keras_object(layer); }

LayerPtr deserialize(const Json& config, const CustomObjects& custom_objects) {
  const CustomObjectScope scope(custom_objects);
  return deserialize_layer(config);
}

}  // namespace antler::layers
