#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/layers/legacy.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/layers/classes.h"

namespace antler {

template <class V>
void fields(V& v, ThresholdedReLUOptions& o) {
  v("theta", o.theta);
}

ThresholdedReLU::ThresholdedReLU(const ThresholdedReLUOptions& options) : LayerOf(options) {
  if (options_.theta < 0) {
    throw ValueError("The theta value of a Thresholded ReLU layer should be >=0. Received: {}",
                     options_.theta);
  }
  set_supports_masking(true);
}

Tensor ThresholdedReLU::call(const Tensor& input, const CallOptions&) {
  return input * ops::cast(ops::greater(input, options_.theta), input.dtype());
}

LayerClasses thresholded_re_lu_layers() { return layer_classes<ThresholdedReLU>(); }

}  // namespace antler
