#pragma once

#include <type_traits>

#include "antler/base/error.h"
#include "nn/fields.h"
#include "nn/layers/weight_fields.h"

/// Fields that the options of MultiHeadAttention and GroupQueryAttention share.
namespace antler {

template <class V, class O>
void projection_fields(V& v, O& o) {
  kernel_and_bias_fields(v, o);
  v("seed", o.seed);
  // Keras accepts this argument but does not write it.
  if constexpr (std::is_same_v<V, FieldReader>) v("flash_attention", o.flash_attention);
}

template <class O>
void check_flash_attention(const O& o) {
  if (o.flash_attention.value_or(false) && o.dropout > 0) {
    throw ValueError(
        "Dropout is not supported when flash attention is enabled. Please set dropout to 0.0 to "
        "use flash attention.");
  }
}

}  // namespace antler
