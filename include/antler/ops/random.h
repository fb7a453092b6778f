#pragma once

#include <cstdint>
#include <optional>

#include "antler/core/tensor.h"

/// Random numbers depend only on the arguments: there is no hidden state. `seed` is uint32 [2], the
/// key of Philox-4x32-10 (Salmon et al. 2011). Element i is word i % 4 of the block with counter
/// i / 4.
namespace antler::ops {

/// Random bits, uint32.
Tensor random_bits(const Tensor& seed, const Shape& shape);
/// Uniform in [low, high).
Tensor random_uniform(const Tensor& seed, const Shape& shape, double low = 0, double high = 1,
                      DType dtype = default_float());
/// Normal distribution (Box-Muller).
Tensor random_normal(const Tensor& seed, const Shape& shape, double mean = 0, double stddev = 1,
                     DType dtype = default_float());
/// Normal distribution within two standard deviations (by inversion).
Tensor random_truncated_normal(const Tensor& seed, const Shape& shape, double mean = 0,
                               double stddev = 1, DType dtype = default_float());
/// Integers in [low, high).
Tensor random_integers(const Tensor& seed, const Shape& shape, int64_t low, int64_t high,
                       DType dtype = DType::int32);
/// True with probability p.
Tensor random_bernoulli(const Tensor& seed, const Shape& shape, double p);
/// A permutation of `x` along `axis`.
Tensor random_shuffle(const Tensor& seed, const Tensor& x, int64_t axis = 0);

/// Class indices [batch, num_samples], drawn with probabilities softmax(logits); logits [batch,
/// classes]. Gumbel-max trick.
Tensor random_categorical(const Tensor& seed, const Tensor& logits, int64_t num_samples,
                          DType dtype = DType::int32);
/// Gamma(alpha, 1); alpha broadcasts to `shape`. Marsaglia and Tsang (2000) with at most 16 tries.
/// Each is accepted with a probability above 0.95, so all fail once in 10^20 draws.
Tensor random_gamma(const Tensor& seed, const Shape& shape, const Tensor& alpha,
                    DType dtype = default_float());
/// The logarithm of random_gamma(), float32. It does not underflow for small alpha.
Tensor random_log_gamma(const Tensor& seed, const Shape& shape, const Tensor& alpha);
/// Beta(alpha, beta).
Tensor random_beta(const Tensor& seed, const Shape& shape, const Tensor& alpha, const Tensor& beta,
                   DType dtype = default_float());
/// Number of successes in `counts` trials; counts and probabilities broadcast to `shape`. It draws
/// every trial, which needs memory for `max_count` numbers per element. The default of `max_count`
/// is the maximum of `counts`; a traced function cannot read that (ValueError).
Tensor random_binomial(const Tensor& seed, const Shape& shape, const Tensor& counts,
                       const Tensor& probabilities, std::optional<int64_t> max_count = {},
                       DType dtype = default_float());
/// Sets elements of `x` to 0 with probability `rate` in [0, 1) and divides the others by 1 - rate.
/// Dimensions where `noise_shape` is 1 share one decision.
Tensor random_dropout(const Tensor& seed, const Tensor& x, double rate,
                      const std::optional<Shape>& noise_shape = {});

}  // namespace antler::ops
