#include <utility>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layers/activations.h"
#include "nn/layers/classes.h"

namespace antler {

template <class V>
void fields(V& v, ReLUOptions& o) {
  v("max_value", o.max_value);
  v("negative_slope", o.negative_slope);
  v("threshold", o.threshold);
}

ReLU::ReLU(double max_value, ReLUOptions options)
    : ReLU(by_position<&ReLUOptions::max_value>("ReLU", std::move(options), max_value)) {}

ReLU::ReLU(const ReLUOptions& options) : LayerOf(options) {
  const auto check = [](const char* field, double value) {
    if (value < 0) {
      throw ValueError("{} of a ReLU layer cannot be a negative value. Received: {}={}", field,
                       field, value);
    }
  };
  check("max_value", options_.max_value.value_or(0));
  check("negative_slope", options_.negative_slope);
  check("threshold", options_.threshold);
  set_supports_masking(true);
}

Tensor ReLU::call(const Tensor& input, const CallOptions&) {
  return activations::relu(input, options_.negative_slope, options_.max_value.value_or(-1),
                           options_.threshold);
}

LayerClasses re_lu_layers() { return layer_classes<ReLU>(); }

}  // namespace antler
