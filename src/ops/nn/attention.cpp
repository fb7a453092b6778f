#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/nn/attention.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "ops/control_flow/body.h"
#include "ops/nn/attention_blocks.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

/// From this size of the logits on, attention runs in blocks. Otherwise training would store three
/// arrays of that size. Recomputing one costs a sixth more multiplications.
constexpr int64_t kBytesForBlocks = 128 << 20;

/// See WholeAttentionScope.
thread_local bool t_in_one_piece = false;

void check_shapes(const Tensor& query, const Tensor& key, const Tensor& value) {
  for (const Tensor* t : {&query, &key, &value}) require_defined("dot_product_attention", *t);
  bool fits = query.rank() == 4 && key.rank() == 4 && value.rank() == 4;
  if (!fits) {
    throw ValueError(
        "`dot_product_attention` only supports 4D inputs. Received: query.shape={}, key.shape={}, "
        "value.shape={}.",
        query.shape(), key.shape(), value.shape());
  }
  const int64_t kv_heads = key.dim(2);
  fits = query.dim(0) == key.dim(0) && key.dim(0) == value.dim(0) && query.dim(3) == key.dim(3) &&
         key.dim(1) == value.dim(1) && kv_heads == value.dim(2) && kv_heads > 0 &&
         query.dim(2) % kv_heads == 0;
  if (!fits) {
    throw ValueError(
        "ops::dot_product_attention: expected query [n, t, heads, d], key and value [n, s, "
        "kv_heads, d] with heads a multiple of kv_heads. Received: query.shape={}, key.shape={}, "
        "value.shape={}",
        query.shape(), key.shape(), value.shape());
  }
}

/// Booleans [t, s]: position t attends to positions up to t.
Tensor causal_mask(int64_t t, int64_t s) {
  return greater_equal(iota(Shape{t, s}, 0), iota(Shape{t, s}, 1));
}

/// Grouped queries: each key head serves several consecutive query heads.
Tensor spread_heads(const Tensor& x, int64_t heads) {
  const int64_t group = heads / x.dim(2);
  return group == 1 ? x : repeat(x, group, 2);
}

}  // namespace

WholeAttentionScope::WholeAttentionScope() : previous_(std::exchange(t_in_one_piece, true)) {}
WholeAttentionScope::~WholeAttentionScope() { t_in_one_piece = previous_; }

Tensor attention_weights(const Tensor& logits, const Tensor& bias, const Tensor& allowed,
                         const AttentionForm& form) {
  Tensor x = multiply(cast(logits, promote_types(form.dtype, DType::float32)), form.scale);
  if (bias.defined()) x = add(x, cast(bias, x.dtype()));
  if (allowed.defined()) {
    // Large but finite, as in Keras, so that a fully masked row does not produce NaN.
    x = where(allowed, x, -0.7 * static_cast<double>(std::numeric_limits<float>::max()));
  }
  return cast(softmax(x, -1), form.dtype);
}

Tensor dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                             const DotProductAttentionOptions& options) {
  check_shapes(query, key, value);
  const double scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(query.dim(3))));
  AttentionForm form{scale, options.is_causal, result_dtype({query, key, value})};
  if (!is_floating(form.dtype)) form.dtype = DType::float32;
  const Tensor q = cast(query, form.dtype);
  const Tensor k = spread_heads(cast(key, form.dtype), q.dim(2));
  const Tensor v = spread_heads(cast(value, form.dtype), q.dim(2));
  Tensor allowed = options.mask.defined() ? cast(options.mask, DType::boolean) : Tensor();

  const int64_t logits_bytes = 4 * q.dim(0) * q.dim(1) * q.dim(2) * k.dim(1);
  if (!options.bias.defined() && !t_in_one_piece && must_trace(std::array{q, k, v}) &&
      options.flash_attention.value_or(logits_bytes >= kBytesForBlocks)) {
    return attention_by_blocks(q, k, v, allowed, form);
  }
  if (options.is_causal) {
    const Tensor causal = causal_mask(q.dim(1), k.dim(1));
    allowed = allowed.defined() ? logical_and(allowed, causal) : causal;
  }
  const Tensor logits = dot_general(
      q, k, {.lhs_contract = {3}, .rhs_contract = {3}, .lhs_batch = {0, 2}, .rhs_batch = {0, 2}});
  const Tensor weights = attention_weights(logits, options.bias, allowed, form);
  const Tensor result = dot_general(
      weights, v,
      {.lhs_contract = {3}, .rhs_contract = {1}, .lhs_batch = {0, 1}, .rhs_batch = {0, 2}});
  return transpose(result, {0, 2, 1, 3});
}

}  // namespace antler::ops
