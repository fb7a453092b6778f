#pragma once

#include "antler/core/tensor.h"

namespace antler::ops {

/// Parameters of the softmax between the two products of attention.
struct AttentionForm {
  double scale = 1;
  bool is_causal = false;
  DType dtype = DType::float32;  ///< dtype of the products
};

/// softmax(scale * logits + bias) of logits [..., t, s], masked by the booleans `allowed`. `bias`
/// and `allowed` broadcast and are optional. Computed in at least float32; the result has
/// form.dtype.
Tensor attention_weights(const Tensor& logits, const Tensor& bias, const Tensor& allowed,
                         const AttentionForm& form);

/// Attention of q [n, t, h, d] on k, v [n, s, h, d] that never holds the matrix [n, h, t, s],
/// neither forward nor backward (after Dao et al. 2022, FlashAttention). Each thread processes one
/// head at a time, in blocks of rows of queries. The gradient recomputes the weights. `allowed`
/// broadcasts to [n, h, t, s] or is undefined.
Tensor attention_by_blocks(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& allowed,
                           const AttentionForm& form);

}  // namespace antler::ops
