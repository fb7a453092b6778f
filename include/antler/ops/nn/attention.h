#pragma once

#include <optional>

#include "antler/core/tensor.h"

namespace antler::ops {

/// softmax(q k^T * scale + bias) v; q [n, t, heads, d], k and v [n, s, heads, d]; `mask` [n, heads,
/// t, s] or broadcastable, true = attend; optional. scale < 0 means 1 / sqrt(d). `flash_attention`:
/// whether a traced call without bias works block by block and never has the matrix [n, heads, t,
/// s] in memory, forward or backward; not given: where that matrix is large.
Tensor dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                             const Tensor& bias = {}, const Tensor& mask = {}, double scale = -1,
                             bool is_causal = false, std::optional<bool> flash_attention = {});
/// While it lives, attention that this thread traces has its matrix, whatever was asked for: work
/// by blocks is a loop over the samples of one size of batch, and a graph for other programs is to
/// take any.
class WholeAttentionScope {
 public:
  WholeAttentionScope();
  ~WholeAttentionScope();
  WholeAttentionScope(const WholeAttentionScope&) = delete;
  WholeAttentionScope& operator=(const WholeAttentionScope&) = delete;

 private:
  bool previous_;
};

}  // namespace antler::ops
