#include <algorithm>

#include "antler/base/error.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "antler/ops/random.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

/// Seeds of independent streams.
std::vector<Tensor> streams_of(const Tensor& seed, int64_t count) {
  return unstack(random_bits(seed, {count, 2}), 0);
}

/// Uniform in (0, 1), so that the logarithm is finite.
Tensor positive_uniform(const Tensor& seed, const Shape& shape) {
  return random_uniform(seed, shape, 1e-30, 1, DType::float32);
}

}  // namespace

Tensor random_categorical(const Tensor& seed, const Tensor& logits, int64_t num_samples,
                          DType dtype) {
  require_defined("random_categorical", logits);
  if (logits.rank() != 2) {
    throw ValueError(
        "ops::random_categorical: expected logits [batch, classes]. Received: logits.shape={}",
        logits.shape());
  }
  const Tensor f = cast(to_float("random_categorical", logits), DType::float32);
  const Tensor uniform = positive_uniform(seed, {f.dim(0), num_samples, f.dim(1)});
  const Tensor gumbel = negative(log(negative(log(uniform))));
  return cast(argmax(add(expand_dims(f, 1), gumbel), -1), dtype);
}

Tensor random_log_gamma(const Tensor& seed, const Shape& shape, const Tensor& alpha) {
  constexpr int64_t kTries = 16;
  const std::vector<Tensor> seeds = streams_of(seed, 3);
  Shape tries = shape;
  tries.push_back(kTries);
  const Tensor a = expand_to(to_dtype(alpha, DType::float32), shape);
  // gamma(a) = gamma(a + 1) u^(1 / a)
  const Tensor d = expand_dims(add(a, 2.0 / 3), -1);
  const Tensor x = random_normal(seeds[0], tries, 0, 1, DType::float32);
  const Tensor base = add(divide(x, sqrt(multiply(d, 9))), 1);
  const Tensor v = maximum(multiply(multiply(base, base), base), 1e-30);
  const Tensor u = positive_uniform(seeds[1], tries);
  const Tensor bound =
      add(subtract(add(multiply(square(x), 0.5), d), multiply(d, v)), multiply(d, log(v)));
  const Tensor accepted = logical_and(greater(base, 0), less(log(u), bound));
  const Tensor first = argmax(cast(accepted, DType::int32), -1, {.keepdims = true});
  const Tensor chosen = squeeze(take_along_axis(add(log(d), log(v)), first, -1), -1);
  return add(chosen, divide(log(positive_uniform(seeds[2], shape)), a));
}

Tensor random_gamma(const Tensor& seed, const Shape& shape, const Tensor& alpha, DType dtype) {
  return cast(exp(random_log_gamma(seed, shape, alpha)), dtype);
}

Tensor random_beta(const Tensor& seed, const Shape& shape, const Tensor& alpha, const Tensor& beta,
                   DType dtype) {
  const std::vector<Tensor> seeds = streams_of(seed, 2);
  return cast(sigmoid(subtract(random_log_gamma(seeds[0], shape, alpha),
                               random_log_gamma(seeds[1], shape, beta))),
              dtype);
}

Tensor random_binomial(const Tensor& seed, const Shape& shape, const Tensor& counts,
                       const Tensor& probabilities, std::optional<int64_t> max_count, DType dtype) {
  require_defined("random_binomial", counts);
  if (!max_count) {
    if (!counts.is_value()) {
      throw ValueError(
          "ops::random_binomial: `max_count` must be given inside of a traced "
          "function, where `counts` has no values yet.");
    }
    const std::vector<double> values = counts.to_doubles();
    max_count =
        values.empty() ? 0 : static_cast<int64_t>(*std::max_element(values.begin(), values.end()));
  }
  Shape trials = shape;
  trials.push_back(*max_count);
  const Tensor p = expand_to(to_dtype(probabilities, DType::float32), shape);
  const Tensor n = expand_to(to_dtype(counts, DType::float32), shape);
  const Tensor success =
      less(random_uniform(seed, trials, 0, 1, DType::float32), expand_dims(p, -1));
  const Tensor tried = less(iota(trials, trials.rank() - 1, DType::float32), expand_dims(n, -1));
  return cast(sum(cast(logical_and(success, tried), DType::int32), {-1}), dtype);
}

Tensor random_dropout(const Tensor& seed, const Tensor& x, double rate,
                      const std::optional<Shape>& noise_shape) {
  require_defined("random_dropout", x);
  if (!(rate >= 0 && rate < 1)) {
    throw ValueError("ops::random_dropout: `rate` must be in [0, 1). Received: rate={}", rate);
  }
  if (rate == 0) return x;
  const Tensor kept = random_bernoulli(seed, noise_shape.value_or(x.shape()), 1 - rate);
  return where(kept, divide(x, 1 - rate), 0);
}

}  // namespace antler::ops
