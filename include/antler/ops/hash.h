#pragma once

#include <cstdint>
#include <vector>

#include "antler/core/tensor.h"

/// Hashing of integers into bins: int64 in [0, bins). Not differentiable.
namespace antler::ops {

/// Hashes the decimal string of each integer: FarmHash's fingerprint modulo `bins`, or SipHash if
/// `key` (two numbers) is given.
Tensor hash_bin(const Tensor& x, int64_t bins, const std::vector<int64_t>& key = {});
/// Hashes each tuple (xs[0][i], xs[1][i], ...) as TensorFlow's sparse cross does. All xs are
/// integers of the same shape.
Tensor cross_hash_bin(const std::vector<Tensor>& xs, int64_t bins);

}  // namespace antler::ops
