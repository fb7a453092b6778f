#pragma once

#include "antler/core/tensor.h"

namespace antler::ops {

struct LstmResult {
  Tensor sequence;  ///< [n, t, units]
  Tensor h;         ///< [n, units], after the last step
  Tensor c;
};
/// LSTM over x [n, t, features]; kernel [features, 4 units], recurrent [units, 4 units], bias [4
/// units]. Gates are in Keras's order i, f, c, o; activations are tanh and sigmoid.
LstmResult lstm(const Tensor& x, const Tensor& h0, const Tensor& c0, const Tensor& kernel,
                const Tensor& recurrent, const Tensor& bias, bool reverse = false);
struct GruResult {
  Tensor sequence;
  Tensor h;
};
/// GRU with gates in Keras's order z, r, h. bias [2, 3 units] with reset_after, else [3 units].
GruResult gru(const Tensor& x, const Tensor& h0, const Tensor& kernel, const Tensor& recurrent,
              const Tensor& bias, bool reset_after = true, bool reverse = false);

}  // namespace antler::ops
