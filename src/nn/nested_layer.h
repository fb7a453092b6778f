#pragma once

#include <vector>

#include "antler/base/json.h"
#include "antler/nn/layer.h"

/// Layers in the configurations of other layers.
namespace antler {

/// For options that contain layers, in Keras's form {"module", "class_name", "config",
/// "registered_name"}.
void write_field(Json& out, const LayerPtr& value);
void read_field(const Json& in, LayerPtr& value);
void write_field(Json& out, const std::vector<LayerPtr>& value);
void read_field(const Json& in, std::vector<LayerPtr>& value);

}  // namespace antler
