#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "antler/base/error.h"
#include "nn/fields.h"

/// Fields and checks that the options of cells and of recurrent layers share.
namespace antler {

template <class V, class O>
void initializer_fields(V& v, O& o) {
  v("use_bias", o.use_bias);
  v("kernel_initializer", o.kernel_initializer);
  v("recurrent_initializer", o.recurrent_initializer);
  v("bias_initializer", o.bias_initializer);
}

template <class V, class O>
void penalty_fields(V& v, O& o) {
  v("kernel_regularizer", o.kernel_regularizer);
  v("recurrent_regularizer", o.recurrent_regularizer);
  v("bias_regularizer", o.bias_regularizer);
  v("kernel_constraint", o.kernel_constraint);
  v("recurrent_constraint", o.recurrent_constraint);
  v("bias_constraint", o.bias_constraint);
}

/// Layers write an activity regularizer next to the others; cells do not.
template <class V, class O>
void layer_penalty_fields(V& v, O& o) {
  penalty_fields(v, o);
  v("activity_regularizer", o.activity_regularizer);
}

template <class V, class O>
void dropout_fields(V& v, O& o) {
  v("dropout", o.dropout);
  v("recurrent_dropout", o.recurrent_dropout);
  v("seed", o.seed);
}

/// Keras accepts this argument but does not write it.
template <class V, class O>
void implementation_field(V& v, O& o) {
  if constexpr (std::is_same_v<V, FieldReader>) v("implementation", o.implementation);
}

/// true, false, or nothing for "auto".
struct AutoFlag {
  std::optional<bool>& value;
};

inline void read_field(const Json& in, AutoFlag& flag) {
  if (in.is_string() && in.get<std::string>() == "auto") {
    flag.value.reset();
  } else if (in.is_boolean()) {
    flag.value = in.get<bool>();
  } else {
    throw TypeError("expected true, false or \"auto\"");
  }
}

/// Also accepted but not written.
template <class V, class O>
void use_cudnn_field(V& v, O& o) {
  if constexpr (std::is_same_v<V, FieldReader>) {
    AutoFlag flag{o.use_cudnn};
    v("use_cudnn", flag);
  }
}

template <class V, class O>
void loop_fields(V& v, O& o) {
  v("return_sequences", o.return_sequences);
  v("return_state", o.return_state);
  v("go_backwards", o.go_backwards);
  v("stateful", o.stateful);
  v("unroll", o.unroll);
  v("zero_output_for_mask", o.zero_output_for_mask);
}

/// The options of the loop.
template <class Loop, class O>
Loop loop_of(const O& o, const LayerPtr& cell) {
  return {.return_sequences = o.return_sequences,
          .return_state = o.return_state,
          .go_backwards = o.go_backwards,
          .stateful = o.stateful,
          .unroll = o.unroll,
          .zero_output_for_mask = o.zero_output_for_mask,
          .cell = cell,
          .name = o.name,
          .dtype = o.dtype,
          .trainable = o.trainable,
          .activity_regularizer = o.activity_regularizer};
}

/// Throws ValueError unless `units` is positive; clips the dropout rates to [0, 1], as in Keras.
template <class O>
O checked_cell_options(O o) {
  if (o.units <= 0) {
    throw ValueError(
        "Received an invalid value for argument `units`, expected a positive integer, got {}.",
        o.units);
  }
  o.dropout = std::clamp(o.dropout, 0.0, 1.0);
  o.recurrent_dropout = std::clamp(o.recurrent_dropout, 0.0, 1.0);
  return o;
}

/// The same for a cell with gates. Recurrent dropout forces implementation 1.
template <class O>
O checked_gate_options(O o) {
  o = checked_cell_options(std::move(o));
  if (o.recurrent_dropout != 0) o.implementation = 1;
  return o;
}

}  // namespace antler
