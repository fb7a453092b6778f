#include "antler/nn/registry.h"

#include <mutex>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "nn/layers/list.h"

namespace antler {
namespace {

struct LayerEntry {
  const char* class_name;
  LayerPtr (*from_config)(const Json& config);
};

/// Every built-in layer that can be made from its configuration.
constexpr LayerEntry kLayers[] = {
    {"InputLayer", input_layer_from_config},
    {"Dense", dense_from_config},
    {"Embedding", embedding_from_config},
    {"Activation", activation_from_config},
    {"ReLU", re_lu_from_config},
    {"Softmax", softmax_from_config},
    {"Conv1D", conv1d_from_config},
    {"Conv2D", conv2d_from_config},
    {"Conv3D", conv3d_from_config},
    {"MaxPooling1D", max_pooling1d_from_config},
    {"MaxPooling2D", max_pooling2d_from_config},
    {"MaxPooling3D", max_pooling3d_from_config},
    {"AveragePooling1D", average_pooling1d_from_config},
    {"AveragePooling2D", average_pooling2d_from_config},
    {"AveragePooling3D", average_pooling3d_from_config},
    {"GlobalMaxPooling1D", global_max_pooling1d_from_config},
    {"GlobalMaxPooling2D", global_max_pooling2d_from_config},
    {"GlobalMaxPooling3D", global_max_pooling3d_from_config},
    {"GlobalAveragePooling1D", global_average_pooling1d_from_config},
    {"GlobalAveragePooling2D", global_average_pooling2d_from_config},
    {"GlobalAveragePooling3D", global_average_pooling3d_from_config},
    {"Flatten", flatten_from_config},
    {"Reshape", reshape_from_config},
    {"Dropout", dropout_from_config},
    {"BatchNormalization", batch_normalization_from_config},
    {"LayerNormalization", layer_normalization_from_config},
    {"Rescaling", rescaling_from_config},
    {"Add", add_from_config},
    {"Subtract", subtract_from_config},
    {"Multiply", multiply_from_config},
    {"Average", average_from_config},
    {"Maximum", maximum_from_config},
    {"Minimum", minimum_from_config},
    {"Concatenate", concatenate_from_config},
};

std::mutex g_registry_mutex;
std::vector<std::pair<std::string, LayerFactory>>& custom_layers() {
  static std::vector<std::pair<std::string, LayerFactory>> instance;
  return instance;
}

}  // namespace

std::vector<std::string> registered_layers() {
  std::vector<std::string> names;
  for (const LayerEntry& entry : kLayers) names.emplace_back(entry.class_name);
  const std::lock_guard lock(g_registry_mutex);
  for (const auto& [name, factory] : custom_layers()) names.push_back(name);
  return names;
}

LayerPtr layer_from_config(const std::string& class_name, const Json& config) {
  LayerFactory custom;
  {
    const std::lock_guard lock(g_registry_mutex);
    for (const auto& [name, factory] : custom_layers()) {
      // "package>Class" is also found as "Class".
      const size_t split = name.find('>');
      if (name == class_name ||
          (split != std::string::npos && name.substr(split + 1) == class_name))
        custom = factory;
    }
  }
  if (custom) return custom(config);
  for (const LayerEntry& entry : kLayers) {
    if (class_name == entry.class_name) return entry.from_config(config);
  }
  throw ValueError("Unknown layer: '" + class_name +
                   "'. Make a class of your own known with register_layer().");
}

void register_layer(const std::string& registered_name, LayerFactory factory) {
  const std::lock_guard lock(g_registry_mutex);
  custom_layers().emplace_back(registered_name, std::move(factory));
}

}  // namespace antler
