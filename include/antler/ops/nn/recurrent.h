#pragma once

#include "antler/core/tensor.h"

namespace antler::ops {

/// Result of lstm().
struct LstmResult {
  Tensor sequence;  ///< [n, t, units]
  Tensor h;         ///< [n, units], after the last step
  Tensor c;
};
/// Options of lstm().
struct LstmOptions {
  bool reverse = false;  ///< from the last step to the first; row t of the sequence belongs to x_t
};
/// LSTM over x [n, t, features]; kernel [features, 4 units], recurrent [units, 4 units], bias [4
/// units]. Gates are in Keras's order i, f, c, o; activations are tanh and sigmoid.
LstmResult lstm(const Tensor& x, const Tensor& h0, const Tensor& c0, const Tensor& kernel,
                const Tensor& recurrent, const Tensor& bias, LstmOptions options = {});
/// Result of gru().
struct GruResult {
  Tensor sequence;
  Tensor h;
};
/// Options of gru().
struct GruOptions {
  bool reset_after = true;  ///< the reset gate acts on the product with `recurrent`, not before it
  bool reverse = false;     ///< as in LstmOptions
};
/// GRU with gates in Keras's order z, r, h. bias [2, 3 units] with reset_after, else [3 units].
GruResult gru(const Tensor& x, const Tensor& h0, const Tensor& kernel, const Tensor& recurrent,
              const Tensor& bias, GruOptions options = {});

}  // namespace antler::ops
