#pragma once

#include "antler/core/tensor.h"

namespace antler {

/// `output` of a softmax or sigmoid with the logits that it was computed from, like Keras's
/// `_keras_logits` on TensorFlow. Cross-entropies are computed from the logits. Probabilities are
/// then not clipped, so that very wrong predictions still have a gradient.
Tensor with_cached_logits(const Tensor& output, const Tensor& logits);
/// The logits that belong to a tensor; undefined unless it is the direct result of a softmax or
/// sigmoid. A cast or a reshape drops them.
Tensor cached_logits(const Tensor& tensor);

}  // namespace antler
