#include "training/feature_config.h"

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/registry.h"
#include "training/model_config.h"

namespace antler::training {
namespace {

constexpr const char* kModule = "keras.src.layers.preprocessing.feature_space";
constexpr const char* kIdentity = "TFDIdentity";

class Identity : public LayerBase<Identity> {
 public:
  explicit Identity(const std::string& name) : LayerBase(kIdentity, {.name = name}) {}
  Tensor call(const Tensor& input, const CallOptions&) override { return input; }
};

Json object_of(const char* class_name, Json config) {
  return {{"module", kModule},
          {"class_name", class_name},
          {"config", std::move(config)},
          {"registered_name", class_name}};
}

const Json& config_of(const Json& object, const char* what) {
  if (object.is_object() && object.contains("config") && object["config"].is_object()) {
    return object["config"];
  }
  throw ValueError("Invalid configuration of {} in a FeatureSpace. Received: {}", what,
                   object.dump());
}

Json layer_to_config(const Layer& layer) {
  Json object = layer.class_name() == kIdentity
                    ? object_of(kIdentity, {{"name", layer.name()},
                                            {"trainable", layer.trainable()},
                                            {"dtype", "float32"}})
                    : serialize_layer(layer);
  const Json build = build_config_of(layer);
  object["build_config"] = build.is_null() ? Json::object() : build;
  return object;
}

LayerPtr layer_from_config(const Json& object) {
  if (object.is_object() && object.value("class_name", "") == kIdentity) {
    return identity_preprocessor(config_of(object, "a preprocessor").value("name", ""));
  }
  return layer_with_build_config(object);
}

}  // namespace

LayerPtr identity_preprocessor(const std::string& name) { return Identity(name).share(); }

Json feature_to_config(const Feature& feature) {
  return object_of("Feature", {{"dtype", feature.dtype},
                               {"preprocessor", layer_to_config(*feature.preprocessor)},
                               {"output_mode", feature.output_mode}});
}

FeatureSpec feature_from_config(const Json& object) {
  if (object.is_string()) return object.get<std::string>();
  const Json& config = config_of(object, "a feature");
  return FeatureSpace::feature(config.at("dtype").get<std::string>(),
                               layer_from_config(config.at("preprocessor")),
                               config.at("output_mode").get<std::string>());
}

Json cross_to_config(const FeatureCross& cross) {
  return object_of("Cross", {{"feature_names", cross.feature_names},
                             {"crossing_dim", cross.crossing_dim.value_or(0)},
                             {"output_mode", cross.output_mode}});
}

FeatureCross cross_from_config(const Json& object) {
  if (object.is_array()) return FeatureCross(object.get<std::vector<std::string>>());
  const Json& config = config_of(object, "a cross");
  return FeatureSpace::cross(config.at("feature_names").get<std::vector<std::string>>(),
                             config.at("crossing_dim").get<int64_t>(),
                             config.at("output_mode").get<std::string>());
}

}  // namespace antler::training
