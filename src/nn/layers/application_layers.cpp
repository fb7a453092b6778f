// LayerScale, CustomScaleLayer.
#include "antler/nn/layers/application_layers.h"

#include <utility>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/initializers.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/layers/classes.h"

namespace antler {

template <class V>
void fields(V& v, LayerScaleOptions& o) {
  v("init_values", o.init_values);
  v("projection_dim", o.projection_dim);
}

template <class V>
void fields(V& v, CustomScaleLayerOptions& o) {
  v("scale", o.scale);
}

LayerScale::LayerScale(double init_values, int64_t projection_dim, LayerScaleOptions options)
    : LayerScale(by_position<&LayerScaleOptions::init_values, &LayerScaleOptions::projection_dim>(
          "LayerScale", std::move(options), init_values, projection_dim)) {}

LayerScale::LayerScale(const LayerScaleOptions& options) : LayerOf(options) {}

void LayerScale::build(const Shape&) {
  gamma_ = add_weight({.shape = {options_.projection_dim},
                       .initializer = initializers::Constant(options_.init_values),
                       .name = "gamma"});
}

Tensor LayerScale::call(const Tensor& input, const CallOptions&) {
  return input * value_of(gamma_);
}

CustomScaleLayer::CustomScaleLayer(double scale, CustomScaleLayerOptions options)
    : CustomScaleLayer(by_position<&CustomScaleLayerOptions::scale>("CustomScaleLayer",
                                                                    std::move(options), scale)) {}

CustomScaleLayer::CustomScaleLayer(const CustomScaleLayerOptions& options) : LayerOf(options) {}

Nest CustomScaleLayer::call(const Nest& inputs, const CallOptions&) {
  const Tensors parts = inputs.flatten();
  if (parts.size() != 2) {
    throw ValueError("CustomScaleLayer '{}' takes a list of two tensors. Received: {}.", name(),
                     parts.size());
  }
  return parts[0] + parts[1] * Tensor(options_.scale);
}

LayerClasses application_layers_layers() { return layer_classes<LayerScale, CustomScaleLayer>(); }

}  // namespace antler
