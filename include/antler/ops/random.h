#pragma once

#include "antler/core/tensor.h"

/// Random numbers are functions of (seed, shape) alone: no hidden state. `seed` is uint32 [2] (key
/// words of Philox-4x32-10, Salmon et al. 2011); element i is word i % 4 of the block with counter
/// i / 4.
namespace antler::ops {

/// uint32 random bits.
Tensor random_bits(const Tensor& seed, const Shape& shape);
/// Uniform in [low, high).
Tensor random_uniform(const Tensor& seed, const Shape& shape, double low = 0, double high = 1,
                      DType dtype = DType::float32);
/// Box-Muller.
Tensor random_normal(const Tensor& seed, const Shape& shape, double mean = 0, double stddev = 1,
                     DType dtype = DType::float32);
/// Normal, values beyond two standard deviations drawn again (by inversion).
Tensor random_truncated_normal(const Tensor& seed, const Shape& shape, double mean = 0,
                               double stddev = 1, DType dtype = DType::float32);
/// Integers in [low, high).
Tensor random_integers(const Tensor& seed, const Shape& shape, int64_t low, int64_t high,
                       DType dtype = DType::int32);
/// 1 with probability p, as boolean.
Tensor random_bernoulli(const Tensor& seed, const Shape& shape, double p);
/// A permutation of `x` along `axis`.
Tensor random_shuffle(const Tensor& seed, const Tensor& x, int64_t axis = 0);

}  // namespace antler::ops
