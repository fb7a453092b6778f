#pragma once

#include "antler/core/tensor.h"

namespace antler::ops {

/// What attention computes between its two products, and on what.
struct AttentionForm {
  double scale = 1;
  bool is_causal = false;
  DType dtype = DType::float32;  ///< of the products
};

/// Softmax of logits [..., t, s] times scale, plus `bias`, where `allowed` (boolean): both
/// broadcast and optional. Computed in float32 or better, given in form.dtype.
Tensor attention_weights(const Tensor& logits, const Tensor& bias, const Tensor& allowed,
                         const AttentionForm& form);

/// Attention of q [n, t, h, d] on k, v [n, s, h, d] without the matrix [n, h, t, s] in memory,
/// forward and backward (after Dao et al. 2022, FlashAttention): heads are taken one by one by the
/// threads, and of each some rows of queries at a time. The gradient computes the weights again.
/// `allowed` is broadcastable to [n, h, t, s], or undefined.
Tensor attention_by_blocks(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& allowed,
                           const AttentionForm& form);

}  // namespace antler::ops
