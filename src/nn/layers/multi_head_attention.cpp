#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

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
void fields(V& v, MultiHeadAttentionOptions& o) {
  v.required("num_heads", o.num_heads);
  v.required("key_dim", o.key_dim);
  v("value_dim", o.value_dim);
  v("dropout", o.dropout);
  v("use_bias", o.use_bias);
  v("use_gate", o.use_gate);
  v("output_shape", o.output_shape);
  v("attention_axes", o.attention_axes);
  v("sliding_window", o.sliding_window);
  projection_fields(v, o);
}

namespace {

void check_positive(const char* what, int64_t value) {
  if (value > 0) return;
  throw ValueError(
      "Received an invalid value for argument `{}`, expected a positive integer. Received: {}={}",
      what, what, value);
}

/// The products of queries and keys [batch..., heads, t..., s...] with their t and s in the order
/// of `axes` instead of ascending.
Tensor in_order_of(const std::vector<int64_t>& axes, const Tensor& products) {
  if (std::is_sorted(axes.begin(), axes.end())) return products;
  const auto over = static_cast<int64_t>(axes.size());
  const int64_t batches = products.rank() - 2 * over;
  std::vector<int64_t> order(static_cast<size_t>(products.rank()));
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = 0; i < over; ++i) {
    const int64_t axis = axes[static_cast<size_t>(i)];
    const int64_t place =
        std::count_if(axes.begin(), axes.end(), [&](int64_t other) { return other < axis; });
    order[static_cast<size_t>(batches + i)] = batches + place;
    order[static_cast<size_t>(batches + over + i)] = batches + over + place;
  }
  return ops::transpose(products, order);
}

/// Attention over `axes` of query, key and value [batch, ..., heads, dim]; the other axes and the
/// heads are batch axes. Gives the output, shaped as the query, and the scores [batch..., heads,
/// t..., s...].
struct Attended {
  Tensor output;
  Tensor scores;
};
template <class Dropout>
Attended attend(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& mask,
                const std::vector<int64_t>& axes, const Dropout& dropout) {
  const int rank = query.rank();
  const auto over = static_cast<int>(axes.size());
  std::vector<int64_t> batch;
  for (int64_t i = 0; i < rank - 1; ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) batch.push_back(i);
  }
  const auto batches = static_cast<int>(batch.size());
  const Tensor dots = in_order_of(axes, ops::dot_general(query, key,
                                                         {.lhs_contract = {rank - 1},
                                                          .rhs_contract = {rank - 1},
                                                          .lhs_batch = batch,
                                                          .rhs_batch = batch}));
  const Tensor expanded = expand_attention_mask(mask, dots.rank(), over);
  const Tensor scores = masked_softmax(dots, expanded, over);
  std::vector<int64_t> contract(static_cast<size_t>(over));
  std::iota(contract.begin(), contract.end(), batches + over);
  std::vector<int64_t> leading(static_cast<size_t>(batches));
  std::iota(leading.begin(), leading.end(), 0);
  const Tensor mixed = ops::dot_general(
      dropout(scores), value,
      {.lhs_contract = contract, .rhs_contract = axes, .lhs_batch = leading, .rhs_batch = batch});
  std::vector<int64_t> order(static_cast<size_t>(rank), rank - 1);  // back to the query's order
  for (int i = 0; i < batches; ++i) order[static_cast<size_t>(batch[static_cast<size_t>(i)])] = i;
  for (int i = 0; i < over; ++i) {
    order[static_cast<size_t>(axes[static_cast<size_t>(i)])] = batches + i;
  }
  // Keras's Softmax leaves its mask on the scores.
  return {ops::transpose(mixed, order), with_keras_mask(scores, expanded)};
}

}  // namespace

MultiHeadAttention::MultiHeadAttention(int64_t num_heads, int64_t key_dim,
                                       MultiHeadAttentionOptions options)
    : MultiHeadAttention(
          by_position<&MultiHeadAttentionOptions::num_heads, &MultiHeadAttentionOptions::key_dim>(
              "MultiHeadAttention", std::move(options), num_heads, key_dim)) {}

MultiHeadAttention::MultiHeadAttention()
    : MultiHeadAttention(
          MultiHeadAttentionOptions{.num_heads = 1, .key_dim = 1, .name = kUnassigned}) {
  set_unassigned();
}
MultiHeadAttention::MultiHeadAttention(const MultiHeadAttentionOptions& options)
    : LayerOf(options) {
  set_activity_regularizer({});  // as in Keras, it belongs to the projections
  check_positive("num_heads", options_.num_heads);
  check_positive("key_dim", options_.key_dim);
  if (!options_.value_dim) options_.value_dim = options_.key_dim;
  check_positive("value_dim", *options_.value_dim);
  if (options_.sliding_window) check_positive("sliding_window", *options_.sliding_window);
  check_flash_attention(options_);
  check_part(options_.dropout, "dropout");
  if (options_.dropout > 0) seed_generator_ = track("seed_generator", SeedGenerator(options_.seed));
  set_supports_masking(true);
}

void MultiHeadAttention::build(const std::vector<Shape>& input_shapes) {
  const auto [query, value, key] = query_value_key_shapes(*this, input_shapes);
  bool same = value.rank() == key.rank();
  for (int i = 1; same && i + 1 < value.rank(); ++i) same = value[i] == key[i];
  if (!same) {
    throw ValueError(
        "All dimensions of `value` and `key`, except the last one, must be equal. Received: "
        "value_shape={} and key_shape={}",
        value, key);
  }
  const MultiHeadAttentionOptions& o = options_;
  const int64_t heads = o.num_heads;
  query_ = heads_dense(o, "query", query, 1, {heads, o.key_dim});
  track_layer("query_dense", query_->share());
  key_ = heads_dense(o, "key", key, 1, {heads, o.key_dim});
  track_layer("key_dense", key_->share());
  if (o.use_gate) {
    gate_ = heads_dense(o, "gate", query, 1, {heads, *o.value_dim}, "sigmoid");
    track_layer("_gate_dense", gate_->share());
  }
  value_ = heads_dense(o, "value", value, 1, {heads, *o.value_dim});
  track_layer("value_dense", value_->share());
  Shape attended = query;
  attended[query.rank() - 1] = heads;
  attended.push_back(*o.value_dim);
  output_ = heads_dense(
      o, "attention_output", attended, 2,
      o.output_shape.given() ? o.output_shape.values() : std::vector<int64_t>{query.back()});
  track_layer("output_dense", output_->share());

  std::vector<int64_t> axes = o.attention_axes.values();
  if (!o.attention_axes.given()) {
    for (int64_t i = 1; i + 1 < query.rank(); ++i) axes.push_back(i);
  }
  for (int64_t& axis : axes) axis = normalize_axis(axis, query.rank(), "`attention_axes`");
  options_.attention_axes = axes;
}

Nest MultiHeadAttention::call(const Nest& inputs, const CallOptions& options) {
  const Tensors qvk = query_value_key(*this, inputs);
  const bool wants_scores = options.flag("return_attention_scores");
  const bool causal = options.flag("use_causal_mask");
  // As in Keras, only the mask of the query tensor counts, not an argument.
  const Tensor query_mask = keras_mask(qvk[0]);
  // Unless scores are returned, there is no need to form their matrix or a causal mask.
  const bool fused = options_.dropout == 0 && !wants_scores && qvk[0].rank() == 3;
  const Tensor mask = AttentionMasks{.query = query_mask,
                                     .value = options.tensors("value_mask"),
                                     .key = options.tensors("key_mask"),
                                     .attention = options.tensors("attention_mask"),
                                     .causal = causal && !fused,
                                     .sliding_window = options_.sliding_window}
                          .joined(qvk[0].dim(1), qvk[1].dim(1));
  const auto project = [&](EinsumDense& dense, const Tensor& x) {
    return dense(with_keras_mask(x, {}));
  };
  const Tensor query = project(*query_, qvk[0]);
  const Tensor key = project(*key_, qvk[2]);
  const Tensor value = project(*value_, qvk[1]);
  const double scale = 1 / std::sqrt(static_cast<double>(options_.key_dim));
  Attended attended;
  if (fused) {
    attended.output = ops::dot_product_attention(
        query, key, value,
        {.mask = expand_attention_mask(mask, 4, 1),
         .scale = scale,
         .is_causal = causal,
         .flash_attention = config::flash_attention_of(options_.flash_attention)});
  } else {
    const auto dropout = [&](const Tensor& scores) {
      if (!options.training.value_or(false) || options_.dropout == 0) return scores;
      return scores *
             dropout_mask(*seed_generator_, scores.shape(), options_.dropout, scores.dtype());
    };
    attended =
        attend(query * Tensor(scale), key, value, mask, options_.attention_axes.values(), dropout);
  }
  if (gate_ != nullptr) attended.output = attended.output * project(*gate_, qvk[0]);
  Tensor output = (*output_)(attended.output);
  if (query_mask.defined()) output = with_keras_mask(output, query_mask);
  if (!wants_scores) return output;
  return Nest{output, attended.scores};
}

CallSignature MultiHeadAttention::call_signature() const { return heads_call_signature(); }

LayerClasses multi_head_attention_layers() { return layer_classes<MultiHeadAttention>(); }

}  // namespace antler
