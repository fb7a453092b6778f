#include <nlohmann/json.hpp>

#include "antler/nn/layers/regularization.h"
#include "nn/layers/classes.h"

namespace antler {

namespace {

LayerOptions with_penalty(const ActivityRegularizationOptions& o) {
  return {.name = o.name,
          .dtype = o.dtype,
          .trainable = o.trainable,
          .activity_regularizer = regularizers::L1L2({.l1 = o.l1, .l2 = o.l2})};
}

}  // namespace

ActivityRegularization::ActivityRegularization(const ActivityRegularizationOptions& options)
    : LayerBase("ActivityRegularization", with_penalty(options)), options_(options) {
  set_supports_masking(true);
}

Tensor ActivityRegularization::call(const Tensor& input, const CallOptions&) { return input; }

Json ActivityRegularization::get_config() const {
  Json config = Layer::get_config();
  config.erase("activity_regularizer");
  config["l1"] = options_.l1;
  config["l2"] = options_.l2;
  return config;
}

namespace {

LayerPtr activity_regularization_from_config(const Json& config) {
  ActivityRegularizationOptions options;
  FieldReader reader(config, "ActivityRegularization");
  reader("name", options.name);
  reader("trainable", options.trainable);
  reader.dtype(options.dtype);
  reader("l1", options.l1);
  reader("l2", options.l2);
  reader.finish();
  return ActivityRegularization(options).share();
}

}  // namespace

LayerClasses activity_regularization_layers() {
  static constexpr LayerClass kClasses[] = {
      layer_class<ActivityRegularization>(activity_regularization_from_config)};
  return kClasses;
}

}  // namespace antler
