#include <cmath>
#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/flash_attention.h"
#include "antler/nn/layers/attention.h"
#include "antler/nn/mask.h"
#include "antler/ops/nn/attention.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "nn/layers/attention_fields.h"
#include "nn/layers/attention_support.h"
#include "nn/layers/classes.h"
#include "nn/layers/drop.h"
#include "nn/layers/dropout_mask.h"
#include "nn/layers/heads_dense.h"

namespace antler {

template <class V>
void fields(V& v, GroupQueryAttentionOptions& o) {
  v.required("head_dim", o.head_dim);
  v.required("num_query_heads", o.num_query_heads);
  v.required("num_key_value_heads", o.num_key_value_heads);
  v("use_bias", o.use_bias);
  v("use_gate", o.use_gate);
  v("sliding_window", o.sliding_window);
  v("dropout", o.dropout);
  projection_fields(v, o);
}

GroupQueryAttention::GroupQueryAttention(int64_t head_dim, int64_t num_query_heads,
                                         int64_t num_key_value_heads,
                                         GroupQueryAttentionOptions options)
    : GroupQueryAttention(by_position<&GroupQueryAttentionOptions::head_dim,
                                      &GroupQueryAttentionOptions::num_query_heads,
                                      &GroupQueryAttentionOptions::num_key_value_heads>(
          "GroupQueryAttention", std::move(options), head_dim, num_query_heads,
          num_key_value_heads)) {}

GroupQueryAttention::GroupQueryAttention()
    : GroupQueryAttention(GroupQueryAttentionOptions{
          .head_dim = 1, .num_query_heads = 1, .num_key_value_heads = 1, .name = kUnassigned}) {
  set_unassigned();
}
GroupQueryAttention::GroupQueryAttention(const GroupQueryAttentionOptions& options)
    : LayerOf(options) {
  const GroupQueryAttentionOptions& o = options_;
  if (o.head_dim <= 0 || o.num_query_heads <= 0 || o.num_key_value_heads <= 0) {
    throw ValueError(
        "GroupQueryAttention: `head_dim`, `num_query_heads` and `num_key_value_heads` must be "
        "positive. Received: head_dim={}, num_query_heads={}, num_key_value_heads={}",
        o.head_dim, o.num_query_heads, o.num_key_value_heads);
  }
  if (o.num_query_heads % o.num_key_value_heads != 0) {
    throw ValueError(
        "`num_query_heads` must be divisible by `num_key_value_heads`. Received: "
        "num_query_heads={}, num_key_value_heads={}",
        o.num_query_heads, o.num_key_value_heads);
  }
  if (o.sliding_window && *o.sliding_window <= 0) {
    throw ValueError(
        "`sliding_window` must be `None` or a positive integer. Received: sliding_window={}",
        *o.sliding_window);
  }
  check_part(o.dropout, "dropout");
  check_flash_attention(o);
  if (o.dropout > 0) seed_generator_ = track("seed_generator", SeedGenerator(o.seed));
  set_supports_masking(true);
}

void GroupQueryAttention::build(const std::vector<Shape>& input_shapes) {
  const auto [query, value, key] = query_value_key_shapes(*this, input_shapes);
  const GroupQueryAttentionOptions& o = options_;
  if (query.back() != value.back()) {
    throw ValueError(
        "The last dimension of `query_shape` and `value_shape` must be equal, but are {}, {}. "
        "Received: query_shape={}, value_shape={}",
        query.back(), value.back(), query, value);
  }
  query_ = heads_dense(o, "query", query, 1, {o.num_query_heads, o.head_dim});
  track_layer("_query_dense", query_->share());
  key_ = heads_dense(o, "key", key, 1, {o.num_key_value_heads, o.head_dim});
  track_layer("_key_dense", key_->share());
  if (o.use_gate) {
    gate_ = heads_dense(o, "gate", query, 1, {o.num_query_heads, o.head_dim}, "sigmoid");
    track_layer("_gate_dense", gate_->share());
  }
  value_ = heads_dense(o, "value", value, 1, {o.num_key_value_heads, o.head_dim});
  track_layer("_value_dense", value_->share());
  const Shape attended{query[0], query[1], o.num_query_heads, o.head_dim};
  output_ = heads_dense(o, "attention_output", attended, 2, {query.back()});
  track_layer("_output_dense", output_->share());
}

Nest GroupQueryAttention::call(const Nest& inputs, const CallOptions& options) {
  const Tensors qvk = query_value_key(*this, inputs);
  const bool wants_scores = options.flag("return_attention_scores");
  const bool causal = options.flag("use_causal_mask");
  const bool fused = options_.dropout == 0 && !wants_scores;
  const Tensor mask = AttentionMasks{.query = options.tensors("query_mask"),
                                     .value = options.tensors("value_mask"),
                                     .key = options.tensors("key_mask"),
                                     .attention = options.tensors("attention_mask"),
                                     .causal = causal && !fused,
                                     .sliding_window = options_.sliding_window}
                          .joined(qvk[0].dim(1), qvk[1].dim(1));
  const Tensor query = (*query_)(qvk[0]);
  const Tensor key = (*key_)(qvk[2]);
  const Tensor value = (*value_)(qvk[1]);
  const double scale = 1 / std::sqrt(static_cast<double>(options_.head_dim));
  const Tensor expanded = expand_attention_mask(mask, 4, 1);
  Tensor output;
  Tensor scores;
  if (fused) {
    output = ops::dot_product_attention(
        query, key, value,
        {.mask = expanded,
         .scale = scale,
         .is_causal = causal,
         .flash_attention = config::flash_attention_of(options_.flash_attention)});
  } else {
    const int64_t repeats = options_.num_query_heads / options_.num_key_value_heads;
    const Tensor keys = ops::repeat(key, repeats, 2);
    const Tensor values = ops::repeat(value, repeats, 2);
    const Tensor dots = ops::dot_general(
        query * Tensor(scale), keys,
        {.lhs_contract = {3}, .rhs_contract = {3}, .lhs_batch = {0, 2}, .rhs_batch = {0, 2}});
    scores = masked_softmax(dots, expanded, 1);
    Tensor weights = scores;
    if (options.training.value_or(false) && options_.dropout > 0) {
      weights =
          scores * dropout_mask(*seed_generator_, scores.shape(), options_.dropout, scores.dtype());
    }
    const Tensor mixed = ops::dot_general(
        weights, values,
        {.lhs_contract = {3}, .rhs_contract = {1}, .lhs_batch = {0, 1}, .rhs_batch = {0, 2}});
    output = ops::transpose(mixed, {0, 2, 1, 3});
  }
  if (gate_ != nullptr) output = output * (*gate_)(qvk[0]);
  output = (*output_)(output);
  if (!wants_scores) return output;
  // Keras's Softmax leaves its mask on the scores.
  return Nest{output, with_keras_mask(scores, expanded)};
}

CallSignature GroupQueryAttention::call_signature() const { return heads_call_signature(); }

LayerClasses group_query_attention_layers() { return layer_classes<GroupQueryAttention>(); }

}  // namespace antler
