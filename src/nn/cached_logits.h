#pragma once

#include "antler/core/tensor.h"

namespace antler {

/// `output` of a softmax or sigmoid, which remembers what it was computed from, as Keras does on
/// TensorFlow (`_keras_logits`). A cross-entropy of it is computed from these: probabilities are
/// not clipped, so that a sample that is far off still has a gradient.
Tensor with_cached_logits(const Tensor& output, const Tensor& logits);
/// Those; undefined for a tensor that something else gave, a cast or reshape among them.
Tensor cached_logits(const Tensor& tensor);

}  // namespace antler
