#pragma once

#include <cstdint>

#include "antler/core/tensor.h"

/// Helpers of lstm() and gru().
namespace antler::ops {

/// Throws ValueError unless x [n, t, features], h0 [n, units], kernel [features, gates * units] and
/// recurrent [units, gates * units] fit together.
void check_recurrent(const char* op, const Tensor& x, const Tensor& h0, const Tensor& kernel,
                     const Tensor& recurrent, int64_t gates);

/// x * kernel + bias of all steps, time-major: [t, n, gates * units]. `bias` may be undefined.
Tensor project_inputs(const Tensor& x, const Tensor& kernel, const Tensor& bias);

}  // namespace antler::ops
