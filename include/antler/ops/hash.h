#pragma once

#include <cstdint>
#include <vector>

#include "antler/core/tensor.h"

/// Numbers of bins by hashing, int64, in [0, bins). Not differentiable.
namespace antler::ops {

/// Bin of the decimal text of each integer: FarmHash's fingerprint modulo `bins`, or SipHash where
/// `key` (two numbers) is given.
Tensor hash_bin(const Tensor& x, int64_t bins, const std::vector<int64_t>& key = {});
/// Bin of each tuple (xs[0][i], xs[1][i], ...), as TensorFlow's sparse cross. Integers of equal
/// shapes.
Tensor cross_hash_bin(const std::vector<Tensor>& xs, int64_t bins);

}  // namespace antler::ops
