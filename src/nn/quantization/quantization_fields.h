#pragma once

#include <optional>

#include "antler/nn/quantization_config.h"
#include "nn/fields.h"

/// The field `quantization_config` of layers, and the fields that embeddings share.
namespace antler {

inline void write_field(Json& out, const QuantizationConfig& value) { out = value.serialize(); }

inline void read_field(const Json& in, std::optional<QuantizationConfig>& value) {
  if (in.is_null()) {
    value.reset();
  } else {
    value = QuantizationConfig::deserialize(in);
  }
}

template <class V, class O>
void embedding_fields(V& v, O& o) {
  v.required("input_dim", o.input_dim);
  v.required("output_dim", o.output_dim);
  v("embeddings_initializer", o.embeddings_initializer);
  v("embeddings_regularizer", o.embeddings_regularizer);
  v("activity_regularizer", o.activity_regularizer);
  v("embeddings_constraint", o.embeddings_constraint);
  v("mask_zero", o.mask_zero);
  v("quantization_config", o.quantization_config);
  v.when_given("lora_rank", o.lora_rank);
  v.when_given("lora_alpha", o.lora_alpha);
}

}  // namespace antler
