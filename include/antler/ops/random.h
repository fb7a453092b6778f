#pragma once

#include <cstdint>
#include <optional>

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

/// Class numbers [batch, num_samples] with the probabilities softmax(logits), logits [batch,
/// classes] (Gumbel's maximum).
Tensor random_categorical(const Tensor& seed, const Tensor& logits, int64_t num_samples,
                          DType dtype = DType::int32);
/// Gamma(alpha, 1); alpha broadcasts to `shape`. Marsaglia and Tsang (2000) with 16 tries, of which
/// one is accepted but for one draw in 10^20 (each with a probability above 0.95).
Tensor random_gamma(const Tensor& seed, const Shape& shape, const Tensor& alpha,
                    DType dtype = DType::float32);
/// Its logarithm, float32: that of small ones is within float32 where they are not.
Tensor random_log_gamma(const Tensor& seed, const Shape& shape, const Tensor& alpha);
/// Beta(alpha, beta).
Tensor random_beta(const Tensor& seed, const Shape& shape, const Tensor& alpha, const Tensor& beta,
                   DType dtype = DType::float32);
/// How many of `counts` trials succeed; counts and probabilities broadcast to `shape`. All trials
/// are drawn: memory for `max_count` numbers per element, which is read from `counts` where it is
/// not given (ValueError inside of a traced function).
Tensor random_binomial(const Tensor& seed, const Shape& shape, const Tensor& counts,
                       const Tensor& probabilities, std::optional<int64_t> max_count = {},
                       DType dtype = DType::float32);
/// `x` with elements set to 0 with probability `rate` in [0, 1), the others divided by 1 - rate.
/// One decision for all elements along the dimensions where `noise_shape` has 1.
Tensor random_dropout(const Tensor& seed, const Tensor& x, double rate,
                      const std::optional<Shape>& noise_shape = {});

}  // namespace antler::ops
