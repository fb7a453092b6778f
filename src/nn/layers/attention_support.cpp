#include "nn/layers/attention_support.h"

#include <string>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"

namespace antler {

Tensor causal_attention_mask(int64_t t, int64_t s) {
  return ops::greater_equal(ops::iota(Shape{1, t, s}, 1), ops::iota(Shape{1, t, s}, 2));
}

Tensor AttentionMasks::joined(int64_t t, int64_t s) const {
  Tensor all;
  const auto join = [&](const Tensor& mask) {
    all = all.defined() ? ops::logical_and(all, mask) : mask;
  };
  const auto boolean = [](const Tensor& mask) { return ops::cast(mask, DType::boolean); };
  if (query.defined()) join(ops::expand_dims(boolean(query), -1));
  if (value.defined()) join(ops::expand_dims(boolean(value), -2));
  if (key.defined()) join(ops::expand_dims(boolean(key), -2));
  if (causal) join(causal_attention_mask(t, s));
  if (sliding_window) {
    const Tensor distance =
        ops::absolute(ops::iota(Shape{1, t, s}, 1) - ops::iota(Shape{1, t, s}, 2));
    join(ops::less(distance, Tensor(*sliding_window)));
  }
  if (attention.defined()) join(boolean(attention));
  return all;
}

Tensor expand_attention_mask(Tensor mask, int rank, int axes) {
  while (mask.defined() && mask.rank() < rank) mask = ops::expand_dims(mask, -2 * axes - 1);
  return mask;
}

Tensor masked_softmax(const Tensor& scores, const Tensor& mask, int axes) {
  Tensor logits = scores;
  if (mask.defined()) {
    const double large = scores.dtype() == DType::float16 ? 3e4 : 1e9;
    logits = ops::where(mask, scores, Tensor(-large));
  }
  Tensor weights;
  if (axes == 1) {
    weights = ops::softmax(logits, -1);
  } else {  // flattens the last axes to one
    Shape flat;
    for (int i = 0; i < logits.rank() - axes; ++i) flat.push_back(logits.dim(i));
    int64_t size = 1;
    for (int i = logits.rank() - axes; i < logits.rank(); ++i) size *= logits.dim(i);
    flat.push_back(size);
    weights = ops::reshape(ops::softmax(ops::reshape(logits, flat), -1), logits.shape());
  }
  return mask.defined() ? ops::where(mask, weights, Tensor(0.0)) : weights;
}

Tensors query_value_key(const Layer& layer, const Nest& inputs) {
  Tensors all = inputs.is_list() ? inputs.flatten() : Tensors();
  if (all.size() == 3 && !all[2].defined()) all.pop_back();
  if (all.size() < 2 || all.size() > 3 || !all[0].defined() || !all[1].defined()) {
    throw ValueError(
        "{} layer must be called on a list of inputs, namely {{query, value}} or {{query, value, "
        "key}}. Received the structure {} at layer \"{}\".",
        layer.class_name(), inputs.structure(), layer.name());
  }
  if (all.size() == 2) all.push_back(all[1]);
  return all;
}

QueryValueKeyShapes query_value_key_shapes(const Layer& layer, const std::vector<Shape>& shapes) {
  if (shapes.size() < 2) {
    throw ValueError(
        "{} layer must be called on {{query, value}} or {{query, value, key}}, but it was built "
        "for {} input(s).",
        layer.class_name(), shapes.size());
  }
  if (shapes[0].rank() == 0 || shapes[1].rank() == 0) {
    throw ValueError(
        "{} layer needs a query and a value of rank 1 or more. Received: query_shape={}, "
        "value_shape={} at layer \"{}\".",
        layer.class_name(), shapes[0], shapes[1], layer.name());
  }
  return {shapes[0], shapes[1], shapes.size() > 2 && shapes[2].rank() > 0 ? shapes[2] : shapes[1]};
}

CallSignature heads_call_signature() {
  return {{"query", "value", "key"},
          {"query_mask", "value_mask", "key_mask", "attention_mask", "return_attention_scores",
           "training", "use_causal_mask"}};
}

}  // namespace antler
