#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "antler/core/tensor.h"

/// Distributions of keras.random beside those of random.h. As there, results are functions of
/// `seed`, uint32 [2], and the arguments alone; several streams are made of the one seed.
namespace antler::ops {

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
