#pragma once

#include <cstdint>

#include "antler/core/tensor.h"
#include "antler/nn/calibration_config.h"

namespace antler {

/// A quantized matrix [outputs, inputs]. Its elements are about (value - zero_point) * scale /
/// input_scale.
struct CalibratedMatrix {
  Tensor values;            ///< uint8 [outputs, inputs]
  Tensor scale;             ///< float32 [outputs, groups]
  Tensor zero_point;        ///< uint8 [outputs, groups]
  Tensor group_index;       ///< float32 [inputs]; only the integer part counts
  Tensor input_scale = {};  ///< float32 [inputs]; AWQ only
};

/// The number of groups. A group size of -1 means one group.
int64_t group_count(int64_t inputs, int64_t group_size);

/// GPTQ of float32 `weights` [outputs, inputs]. `second_moments` [inputs, inputs] is the mean of 2
/// x x^T over all inputs x, or undefined if there were none. Throws ValueError if the damped
/// moments cannot be inverted.
CalibratedMatrix gptq_quantize(const Tensor& weights, const Tensor& second_moments,
                               const GPTQConfig& config);
/// AWQ of such weights. `magnitudes` [inputs] are the largest absolute values of the inputs, or
/// undefined if there were none.
CalibratedMatrix awq_quantize(const Tensor& weights, const Tensor& magnitudes,
                              const AWQConfig& config);

}  // namespace antler
