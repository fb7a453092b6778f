#pragma once

#include <concepts>
#include <cstdint>
#include <optional>

#include "antler/core/dtype_arg.h"
#include "antler/core/keyword.h"
#include "antler/core/optional_shape.h"
#include "antler/core/required.h"
#include "antler/core/tensor.h"
#include "antler/nn/by_position.h"
#include "antler/nn/random_seed.h"

/// Keras's `keras.random`: tensors of random numbers. Equal integer seeds give equal numbers; a
/// SeedGenerator gives new numbers in each call, compiled or not. The numbers are not Keras's.
namespace antler::random {

/// Argument type of seeds: a number, a SeedGenerator, or nothing, which means the global
/// SeedGenerator that set_random_seed() restarts.
class Seed {
 public:
  Seed() = default;
  template <std::integral I>
  Seed(I seed) : number_(static_cast<int64_t>(seed)) {}     // NOLINT(google-explicit-constructor)
  Seed(SeedGenerator generator) : generator_(generator) {}  // NOLINT(google-explicit-constructor)

  /// The seed of one draw, uint32 [2].
  Tensor draw() const;

 private:
  std::optional<int64_t> number_;
  std::optional<SeedGenerator> generator_;
};

/// Options of normal() and truncated_normal().
struct NormalOptions {
  double mean = 0;    ///< of the distribution
  double stddev = 1;  ///< standard deviation
  DTypeArg dtype = default_float();
  Seed seed = {};
};
Tensor normal(const Shape& shape, const NormalOptions& options = {});
ANTLER_KEYWORD_FUNCTION(normal, NormalOptions, const Shape&)
/// Values beyond two standard deviations are drawn again.
Tensor truncated_normal(const Shape& shape, const NormalOptions& options = {});
ANTLER_KEYWORD_FUNCTION(truncated_normal, NormalOptions, const Shape&)
/// The same with mean and deviation by position. Throws TypeError if one is also given by name.
inline Tensor normal(const Shape& shape, double mean, double stddev,
                     const NormalOptions& options = {}) {
  return normal(shape, by_position<&NormalOptions::mean, &NormalOptions::stddev>("normal", options,
                                                                                 mean, stddev));
}
ANTLER_KEYWORD_FUNCTION(normal, NormalOptions, const Shape&, double, double)
inline Tensor truncated_normal(const Shape& shape, double mean, double stddev,
                               const NormalOptions& options = {}) {
  return truncated_normal(shape, by_position<&NormalOptions::mean, &NormalOptions::stddev>(
                                     "truncated_normal", options, mean, stddev));
}
ANTLER_KEYWORD_FUNCTION(truncated_normal, NormalOptions, const Shape&, double, double)

/// Options of uniform().
struct UniformOptions {
  double minval = 0;  ///< smallest value
  double maxval = 1;  ///< exclusive
  DTypeArg dtype = default_float();
  Seed seed = {};
};
Tensor uniform(const Shape& shape, const UniformOptions& options = {});
ANTLER_KEYWORD_FUNCTION(uniform, UniformOptions, const Shape&)
/// The same with the limits by position. Throws TypeError if one is also given by name.
inline Tensor uniform(const Shape& shape, double minval, double maxval,
                      const UniformOptions& options = {}) {
  return uniform(shape, by_position<&UniformOptions::minval, &UniformOptions::maxval>(
                            "uniform", options, minval, maxval));
}
ANTLER_KEYWORD_FUNCTION(uniform, UniformOptions, const Shape&, double, double)

/// The same with the SeedGenerator by position.
template <std::same_as<SeedGenerator> S>
Tensor normal(const Shape& shape, const S& seed) {
  return normal(shape, {.seed = seed});
}
template <std::same_as<SeedGenerator> S>
Tensor uniform(const Shape& shape, const S& seed) {
  return uniform(shape, {.seed = seed});
}

/// The same with the dtype by position, too.
template <std::convertible_to<DTypeArg> D>
Tensor normal(const Shape& shape, double mean, double stddev, const D& dtype,
              const Seed& seed = {}) {
  return normal(shape, {.mean = mean, .stddev = stddev, .dtype = dtype, .seed = seed});
}
template <std::convertible_to<DTypeArg> D>
Tensor truncated_normal(const Shape& shape, double mean, double stddev, const D& dtype,
                        const Seed& seed = {}) {
  return truncated_normal(shape, {.mean = mean, .stddev = stddev, .dtype = dtype, .seed = seed});
}
template <std::convertible_to<DTypeArg> D>
Tensor uniform(const Shape& shape, double minval, double maxval, const D& dtype,
               const Seed& seed = {}) {
  return uniform(shape, {.minval = minval, .maxval = maxval, .dtype = dtype, .seed = seed});
}

/// Options of randint().
struct RandintOptions {
  DTypeArg dtype = DType::int32;
  Seed seed = {};
};
/// Integers in [minval, maxval).
Tensor randint(const Shape& shape, int64_t minval, int64_t maxval,
               const RandintOptions& options = {});
ANTLER_KEYWORD_FUNCTION(randint, RandintOptions, const Shape&, int64_t, int64_t)
/// The arguments of randint() by name.
struct RandintArguments {
  Required<int64_t> minval;  ///< the smallest number
  Required<int64_t> maxval;  ///< above the largest one
  DTypeArg dtype = DType::int32;
  Seed seed = {};
};
inline Tensor randint(const Shape& shape, const RandintArguments& by_name) {
  return randint(shape, by_name.minval, by_name.maxval,
                 {.dtype = by_name.dtype, .seed = by_name.seed});
}
ANTLER_KEYWORD_FUNCTION(randint, RandintArguments, const Shape&)
/// The same with the dtype by position.
template <std::convertible_to<DTypeArg> D>
Tensor randint(const Shape& shape, int64_t minval, int64_t maxval, const D& dtype,
               const Seed& seed = {}) {
  return randint(shape, minval, maxval, {.dtype = dtype, .seed = seed});
}
/// Class numbers [batch, num_samples] with the probabilities softmax(logits), logits [batch,
/// classes].
Tensor categorical(const Tensor& logits, int64_t num_samples, const RandintOptions& options = {});
ANTLER_KEYWORD_FUNCTION(categorical, RandintOptions, const Tensor&, int64_t)
/// The arguments of categorical() by name.
struct CategoricalArguments {
  Required<int64_t> num_samples;  ///< per row
  DTypeArg dtype = DType::int32;
  Seed seed = {};
};
inline Tensor categorical(const Tensor& logits, const CategoricalArguments& by_name) {
  return categorical(logits, by_name.num_samples, {.dtype = by_name.dtype, .seed = by_name.seed});
}
ANTLER_KEYWORD_FUNCTION(categorical, CategoricalArguments, const Tensor&)

/// Options of gamma(), beta() and binomial().
struct GammaOptions {
  DTypeArg dtype = default_float();
  Seed seed = {};
};
/// Gamma(alpha, 1); see ops::random_gamma().
Tensor gamma(const Shape& shape, const Tensor& alpha, const GammaOptions& options = {});
ANTLER_KEYWORD_FUNCTION(gamma, GammaOptions, const Shape&, const Tensor&)
/// Beta(alpha, beta).
Tensor beta(const Shape& shape, const Tensor& alpha, const Tensor& beta,
            const GammaOptions& options = {});
ANTLER_KEYWORD_FUNCTION(beta, GammaOptions, const Shape&, const Tensor&, const Tensor&)
/// Number of successes in `counts` trials; see ops::random_binomial().
Tensor binomial(const Shape& shape, const Tensor& counts, const Tensor& probabilities,
                const GammaOptions& options = {});
ANTLER_KEYWORD_FUNCTION(binomial, GammaOptions, const Shape&, const Tensor&, const Tensor&)

/// Options of shuffle().
struct ShuffleOptions {
  int64_t axis = 0;  ///< the axis along which slices are permuted
  Seed seed = {};
};
/// A permutation of `x` along the axis.
Tensor shuffle(const Tensor& x, const ShuffleOptions& options = {});
ANTLER_KEYWORD_FUNCTION(shuffle, ShuffleOptions, const Tensor&)
/// The same with the axis by position.
template <std::integral Axis>
Tensor shuffle(const Tensor& x, Axis axis, const Seed& seed = {}) {
  return shuffle(x, {.axis = axis, .seed = seed});
}

/// Options of dropout().
struct DropoutOptions {
  OptionalShape noise_shape = {};  ///< dimensions of size 1 share one decision
  Seed seed = {};
};
/// Sets elements of `x` to 0 with probability `rate` in [0, 1), divides the others by 1 - rate.
Tensor dropout(const Tensor& x, double rate, const DropoutOptions& options = {});
ANTLER_KEYWORD_FUNCTION(dropout, DropoutOptions, const Tensor&, double)

}  // namespace antler::random
