#pragma once

#include "antler/core/tensor.h"

namespace antler::metrics {

/// Values and weights, one per sample. `sample_weight` may be undefined.
struct Samplewise {
  Tensor values;
  Tensor sample_weight;
};
enum class Combine : uint8_t { mean, sum };

/// Keras's rule for weights: values are combined over the dimensions that the weights lack and
/// multiplied by the weights; then both are combined over all dimensions but the first.
Samplewise reduce_to_samplewise(const Tensor& values, const Tensor& sample_weight, Combine combine,
                                DType dtype);

}  // namespace antler::metrics
