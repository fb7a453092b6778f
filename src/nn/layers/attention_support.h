#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "antler/nn/layer.h"

/// Shared by the attention layers.
namespace antler {

/// Boolean [1, t, s]: position i attends to positions up to i.
Tensor causal_attention_mask(int64_t t, int64_t s);

/// The masks of a call with query [batch, t, ...] and value [batch, s, ...]. joined() combines
/// them; it is undefined if there are none.
struct AttentionMasks {
  Tensor query;      ///< [batch, t]
  Tensor value;      ///< [batch, s]
  Tensor key;        ///< [batch, s]
  Tensor attention;  ///< [batch, t, s]
  bool causal = false;
  std::optional<int64_t> sliding_window = {};

  Tensor joined(int64_t t, int64_t s) const;
};

/// Expands a mask [batch, ...] to `rank` by inserting axes before its last 2 * `axes` axes.
Tensor expand_attention_mask(Tensor mask, int rank, int axes);

/// Softmax over the last `axes` axes. Masked scores give 0, even if all are masked.
Tensor masked_softmax(const Tensor& scores, const Tensor& mask, int axes);

/// Checks the inputs {query, value} or {query, value, key} of a call and adds the key.
Tensors query_value_key(const Layer& layer, const Nest& inputs);

struct QueryValueKeyShapes {
  Shape query, value, key;
};
/// The same for the shapes that a layer is built for.
QueryValueKeyShapes query_value_key_shapes(const Layer& layer, const std::vector<Shape>& shapes);

/// The call signature of the layers with several heads.
CallSignature heads_call_signature();

}  // namespace antler
