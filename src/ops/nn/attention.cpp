#include <cmath>
#include <limits>
#include <string>

#include "antler/base/error.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/linalg.h"
#include "antler/ops/nn.h"
#include "antler/ops/shape.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

void check_shapes(const Tensor& query, const Tensor& key, const Tensor& value) {
  for (const Tensor* t : {&query, &key, &value}) require_defined("dot_product_attention", *t);
  bool fits = query.rank() == 4 && key.rank() == 4 && value.rank() == 4;
  if (!fits) {
    throw ValueError("`dot_product_attention` only supports 4D inputs. Received: query.shape=" +
                     query.shape().str() + ", key.shape=" + key.shape().str() +
                     ", value.shape=" + value.shape().str() + ".");
  }
  const int64_t kv_heads = key.dim(2);
  fits = query.dim(0) == key.dim(0) && key.dim(0) == value.dim(0) && query.dim(3) == key.dim(3) &&
         key.dim(1) == value.dim(1) && kv_heads == value.dim(2) && kv_heads > 0 &&
         query.dim(2) % kv_heads == 0;
  if (!fits) {
    throw ValueError(
        "ops::dot_product_attention: expected query [n, t, heads, d], key and value "
        "[n, s, kv_heads, d] with heads a multiple of kv_heads. Received: "
        "query.shape=" +
        query.shape().str() + ", key.shape=" + key.shape().str() +
        ", value.shape=" + value.shape().str());
  }
}

/// Boolean [t, s]: position t may look at positions up to t.
Tensor causal_mask(int64_t t, int64_t s) {
  return greater_equal(iota(Shape{t, s}, 0), iota(Shape{t, s}, 1));
}

/// Grouped queries: each key head serves several query heads in a row.
Tensor spread_heads(const Tensor& x, int64_t heads) {
  const int64_t group = heads / x.dim(2);
  return group == 1 ? x : repeat(x, group, 2);
}

}  // namespace

Tensor dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                             const Tensor& bias, const Tensor& mask, double scale, bool is_causal) {
  check_shapes(query, key, value);
  DType dtype = result_dtype({query, key, value});
  if (!is_floating(dtype)) dtype = DType::float32;
  const Tensor q = cast(query, dtype);
  const Tensor k = spread_heads(cast(key, dtype), q.dim(2));
  const Tensor v = spread_heads(cast(value, dtype), q.dim(2));
  if (scale < 0) scale = 1 / std::sqrt(static_cast<double>(q.dim(3)));

  // Logits [n, heads, t, s], and their softmax, are made in float32 or better.
  Tensor logits = dot_general(
      q, k, {.lhs_contract = {3}, .rhs_contract = {3}, .lhs_batch = {0, 2}, .rhs_batch = {0, 2}});
  logits = multiply(cast(logits, promote_types(dtype, DType::float32)), scale);
  if (bias.defined()) logits = add(logits, cast(bias, logits.dtype()));
  Tensor allowed = mask.defined() ? cast(mask, DType::boolean) : Tensor();
  if (is_causal) {
    const Tensor causal = causal_mask(q.dim(1), k.dim(1));
    allowed = allowed.defined() ? logical_and(allowed, causal) : causal;
  }
  if (allowed.defined()) {
    // Large but finite, as in Keras: a row in which nothing is allowed gives no NaN.
    const double smallest = -0.7 * static_cast<double>(std::numeric_limits<float>::max());
    logits = where(allowed, logits, smallest);
  }
  const Tensor weights = cast(softmax(logits, -1), dtype);
  const Tensor result = dot_general(
      weights, v,
      {.lhs_contract = {3}, .rhs_contract = {1}, .lhs_batch = {0, 1}, .rhs_batch = {0, 2}});
  return transpose(result, {0, 2, 1, 3});
}

}  // namespace antler::ops
