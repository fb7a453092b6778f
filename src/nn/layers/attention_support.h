#pragma once

#include <cstdint>
#include <optional>

#include "antler/nn/layer.h"

/// What the attention layers share.
namespace antler {

/// Boolean [1, t, s]: position i sees positions up to i.
Tensor causal_attention_mask(int64_t t, int64_t s);

/// The masks of a call of query [batch, t, ...] on value [batch, s, ...], joined; undefined where
/// there are none.
struct AttentionMasks {
  Tensor query;      ///< [batch, t]
  Tensor value;      ///< [batch, s]
  Tensor key;        ///< [batch, s]
  Tensor attention;  ///< [batch, t, s]
  bool causal = false;
  std::optional<int64_t> sliding_window = {};

  Tensor joined(int64_t t, int64_t s) const;
};

/// A mask [batch, ...] with axes put in front of its last 2 * `axes`, so that it has `rank` of
/// them.
Tensor expand_attention_mask(Tensor mask, int rank, int axes);

/// Softmax over the last `axes` axes. Masked scores give 0, also where all are.
Tensor masked_softmax(const Tensor& scores, const Tensor& mask, int axes);

/// Checks the inputs {query, value} or {query, value, key} of a call and adds the key.
Tensors query_value_key(const Layer& layer, const Nest& inputs);

}  // namespace antler
