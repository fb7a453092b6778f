#pragma once

#include <optional>

#include "antler/core/keyword.h"
#include "antler/core/tensor.h"

namespace antler::ops {

/// Options of dot_product_attention().
struct DotProductAttentionOptions {
  Tensor bias = {};                  ///< broadcasts to [n, heads, t, s]
  Tensor mask = {};                  ///< likewise; true means attend
  std::optional<double> scale = {};  ///< default: 1 / sqrt(d)
  bool is_causal = false;            ///< no query attends to later keys
  /// A traced call without bias works block by block and never holds the matrix [n, heads, t, s] in
  /// memory, forward or backward. By default it does so if that matrix is large.
  std::optional<bool> flash_attention = {};
};
/// softmax(q k^T * scale + bias) v; q [n, t, heads, d], k and v [n, s, heads, d].
Tensor dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                             const DotProductAttentionOptions& options = {});
ANTLER_KEYWORD_FUNCTION(dot_product_attention, DotProductAttentionOptions, const Tensor&,
                        const Tensor&, const Tensor&)
/// For its lifetime, attention that this thread traces is not split into blocks, even if asked for.
/// Blocks loop over the samples of a fixed batch size, but exported graphs must accept any.
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
