#pragma once

#include "antler/core/tensor.h"

namespace antler {

/// `output` of a softmax or sigmoid, together with the logits it was computed from, as Keras does
/// on TensorFlow (`_keras_logits`). Cross-entropies are computed from the logits: probabilities are
/// not clipped, so samples that are far off still have a gradient.
Tensor with_cached_logits(const Tensor& output, const Tensor& logits);
/// The logits behind a tensor; undefined unless it is the direct result of a softmax or sigmoid. A
/// cast or a reshape drops them.
Tensor cached_logits(const Tensor& tensor);

}  // namespace antler
