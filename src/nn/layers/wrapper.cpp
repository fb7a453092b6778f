#include "antler/nn/layers/wrapper.h"

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "nn/nested_layer.h"

namespace antler {

Wrapper::Wrapper(const char* class_name, const LayerHandle& layer, const LayerOptions& options)
    : Layer(class_name, options), layer_(layer.layer()) {
  track_layer("layer", layer_);
}

void Wrapper::build(const Shape& input_shape) { layer_->ensure_built({input_shape}); }

Json Wrapper::get_config() const {
  Json config = Layer::get_config();
  write_field(config["layer"], layer_);
  return config;
}

}  // namespace antler
