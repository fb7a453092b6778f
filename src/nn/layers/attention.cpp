// Attention and AdditiveAttention.
#include "antler/nn/layers/attention.h"

#include <string>

#include "antler/base/error.h"
#include "antler/nn/mask.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/layers/attention_support.h"
#include "nn/layers/classes.h"
#include "nn/layers/dropout_mask.h"

namespace antler {

template <class V>
void fields(V& v, AttentionOptions& o) {
  v("use_scale", o.use_scale);
  v("score_mode", o.score_mode);
  v("dropout", o.dropout);
  v("seed", o.seed);
}

template <class V>
void fields(V& v, AdditiveAttentionOptions& o) {
  v("use_scale", o.use_scale);
  v("dropout", o.dropout);
  v("seed", o.seed);
}

Attention::Attention(const AttentionOptions& options) : Attention("Attention", options) {}

Attention::Attention(const char* class_name, const AttentionOptions& options)
    : LayerBase(class_name, base_options(options)), options_(options) {
  if (options_.score_mode != "dot" && options_.score_mode != "concat") {
    throw ValueError(
        "Invalid value for argument score_mode. Expected one of {{'dot', 'concat'}}. Received: "
        "score_mode={}",
        options_.score_mode);
  }
  if (options_.dropout > 0) seed_generator_ = track("seed_generator", SeedGenerator(options_.seed));
  set_supports_masking(true);
}

void Attention::build(const std::vector<Shape>&) {
  if (options_.use_scale) {
    scale_ = add_weight({.shape = {}, .initializer = "ones", .name = "scale"});
  }
  if (options_.score_mode == "concat") {
    concat_score_weight_ =
        add_weight({.shape = {}, .initializer = "ones", .name = "concat_score_weight"});
  }
}

Tensor Attention::scores(const Tensor& query, const Tensor& key) const {
  if (options_.score_mode == "dot") {
    const Tensor dots = ops::matmul(query, ops::swapaxes(key, -2, -1));
    return scale_.defined() ? dots * value_of(scale_) : dots;
  }
  Tensor sums = ops::expand_dims(query, -2) + ops::expand_dims(key, -3);
  if (scale_.defined()) sums = value_of(scale_) * sums;
  return value_of(concat_score_weight_) * ops::sum(ops::tanh(sums), {-1});
}

Nest Attention::call(const Nest& inputs, const CallOptions& options) {
  const Tensors qvk = query_value_key(*this, inputs);
  Tensor query_mask;
  Tensor value_mask;
  if (const Nest masks = options.tensors("mask"); !masks.is_none()) {
    if (!masks.is_list() || masks.size() < 2 || masks.size() > 3) {
      throw ValueError(
          "{} layer mask must be a list, namely {{query_mask, value_mask}}. Received the structure "
          "{}.",
          class_name(), masks.structure());
    }
    query_mask = masks[0].tensor();
    value_mask = masks[1].tensor();
  }
  Tensor logits = scores(qvk[0], qvk[2]);
  const int rank = logits.rank();
  Tensor mask = value_mask.defined() ? ops::cast(value_mask, DType::boolean) : Tensor();
  if (mask.defined() && mask.rank() < rank) mask = ops::expand_dims(mask, -2);
  if (options.flag("use_causal_mask")) {
    const Tensor causal = causal_attention_mask(logits.dim(rank - 2), logits.dim(rank - 1));
    mask = mask.defined() ? ops::logical_and(mask, causal) : causal;
  }
  if (mask.defined()) {
    const double large = logits.dtype() == DType::float16 ? 65504.0 : 1e9;
    logits = ops::where(mask, logits, logits - Tensor(large));
  }
  Tensor weights = ops::softmax(logits, -1);
  if (options.training.value_or(false) && options_.dropout > 0) {
    weights = weights *
              dropout_mask(*seed_generator_, weights.shape(), options_.dropout, weights.dtype());
  }
  Tensor output = ops::matmul(weights, qvk[1]);
  if (query_mask.defined()) {
    output = ops::where(ops::expand_dims(ops::cast(query_mask, DType::boolean), -1), output,
                        Tensor(0.0));
    output = with_keras_mask(output, query_mask);
  }
  if (!options.flag("return_attention_scores")) return output;
  return Nest{output, weights};
}

// call() sets the mask of the output, because the query's mask may be an argument of the call.
Tensor Attention::compute_mask(const Nest&, const Tensor&) { return {}; }

CallSignature Attention::call_signature() const {
  return {{"inputs"}, {"mask", "training", "return_attention_scores", "use_causal_mask"}};
}

Json Attention::get_config() const { return config_of(*this, options_); }

AdditiveAttention::AdditiveAttention(const AdditiveAttentionOptions& options)
    : LayerBase("AdditiveAttention",
                AttentionOptions{.use_scale = options.use_scale,
                                 .dropout = options.dropout,
                                 .seed = options.seed,
                                 .name = options.name,
                                 .dtype = options.dtype,
                                 .trainable = options.trainable,
                                 .activity_regularizer = options.activity_regularizer}) {}

void AdditiveAttention::build(const std::vector<Shape>& input_shapes) {
  if (!options().use_scale) return;
  const Shape query = query_value_key_shapes(*this, input_shapes).query;
  scale_ = add_weight({.shape = {query.back()}, .initializer = "glorot_uniform", .name = "scale"});
}

Tensor AdditiveAttention::scores(const Tensor& query, const Tensor& key) const {
  const Tensor sums = ops::tanh(ops::expand_dims(query, -2) + ops::expand_dims(key, -3));
  return ops::sum(scale_.defined() ? value_of(scale_) * sums : sums, {-1});
}

Json AdditiveAttention::get_config() const {
  return config_of(*this, AdditiveAttentionOptions{.use_scale = options().use_scale,
                                                   .dropout = options().dropout,
                                                   .seed = options().seed});
}

LayerClasses attention_layers() {
  static constexpr LayerClass kClasses[] = {
      layer_class<Attention, AttentionOptions>(),
      layer_class<AdditiveAttention, AdditiveAttentionOptions>(),
  };
  return kClasses;
}

}  // namespace antler
