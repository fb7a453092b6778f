#pragma once

#include "antler/core/tensor.h"

namespace antler::metrics {

/// Values and weights, one per sample. `sample_weight` undefined where there is none.
struct Samplewise {
  Tensor values;
  Tensor sample_weight;
};
enum class Combine : uint8_t { mean, sum };

/// Keras's rule of weights: values are combined over the dimensions that the weights do not have,
/// multiplied by the weights, then both are combined over all dimensions but the first.
Samplewise reduce_to_samplewise(const Tensor& values, const Tensor& sample_weight, Combine combine,
                                DType dtype);

}  // namespace antler::metrics
