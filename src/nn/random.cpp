#include "antler/nn/random.h"

#include "antler/ops/random.h"

namespace antler::random {

Tensor Seed::draw() const {
  if (number_) return Tensor::of<uint32_t>({static_cast<uint32_t>(*number_), 0});
  return generator_ ? generator_->next() : global_seed_generator().next();
}

Tensor normal(const Shape& shape, const NormalOptions& o) {
  return ops::random_normal(o.seed.draw(), shape, o.mean, o.stddev, o.dtype);
}

Tensor truncated_normal(const Shape& shape, const NormalOptions& o) {
  return ops::random_truncated_normal(o.seed.draw(), shape, o.mean, o.stddev, o.dtype);
}

Tensor uniform(const Shape& shape, const UniformOptions& o) {
  return ops::random_uniform(o.seed.draw(), shape, o.minval, o.maxval, o.dtype);
}

Tensor randint(const Shape& shape, int64_t minval, int64_t maxval, const RandintOptions& o) {
  return ops::random_integers(o.seed.draw(), shape, minval, maxval, o.dtype);
}

Tensor categorical(const Tensor& logits, int64_t num_samples, const RandintOptions& o) {
  return ops::random_categorical(o.seed.draw(), logits, num_samples, o.dtype);
}

Tensor gamma(const Shape& shape, const Tensor& alpha, const GammaOptions& o) {
  return ops::random_gamma(o.seed.draw(), shape, alpha, o.dtype);
}

Tensor beta(const Shape& shape, const Tensor& alpha, const Tensor& beta, const GammaOptions& o) {
  return ops::random_beta(o.seed.draw(), shape, alpha, beta, o.dtype);
}

Tensor binomial(const Shape& shape, const Tensor& counts, const Tensor& probabilities,
                const GammaOptions& o) {
  return ops::random_binomial(o.seed.draw(), shape, counts, probabilities, {}, o.dtype);
}

Tensor shuffle(const Tensor& x, const ShuffleOptions& o) {
  return ops::random_shuffle(o.seed.draw(), x, o.axis);
}

Tensor dropout(const Tensor& x, double rate, const DropoutOptions& o) {
  return ops::random_dropout(o.seed.draw(), x, rate, o.noise_shape);
}

}  // namespace antler::random
