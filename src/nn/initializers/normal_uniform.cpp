// RandomNormal, TruncatedNormal, RandomUniform.
#include <memory>

#include "antler/nn/by_position.h"
#include "antler/nn/initializers.h"
#include "antler/ops/random.h"
#include "nn/initializers/classes.h"
#include "nn/initializers/random_initializer.h"

namespace antler {
namespace initializers {

template <class V>
void fields(V& v, NormalOptions& o) {
  v("seed", o.seed);
  v("mean", o.mean);
  v("stddev", o.stddev);
}
template <class V>
void fields(V& v, UniformOptions& o) {
  v("seed", o.seed);
  v("minval", o.minval);
  v("maxval", o.maxval);
}

}  // namespace initializers

namespace {

using initializers::NormalOptions;
using initializers::UniformOptions;

class NormalImpl final : public RandomInitializer {
 public:
  NormalImpl(const NormalOptions& options, bool truncated, SeedUse use)
      : RandomInitializer(options.seed, use), options_(options), truncated_(truncated) {}
  Tensor call(const Shape& shape, DType dtype) const override {
    return truncated_
               ? ops::random_truncated_normal(seed(), shape, options_.mean, options_.stddev, dtype)
               : ops::random_normal(seed(), shape, options_.mean, options_.stddev, dtype);
  }
  std::string class_name() const override {
    return truncated_ ? "TruncatedNormal" : "RandomNormal";
  }
  Json get_config() const override { return config::write(options_); }

 private:
  NormalOptions options_;
  bool truncated_;
};

class UniformImpl final : public RandomInitializer {
 public:
  UniformImpl(const UniformOptions& options, SeedUse use)
      : RandomInitializer(options.seed, use), options_(options) {}
  Tensor call(const Shape& shape, DType dtype) const override {
    return ops::random_uniform(seed(), shape, options_.minval, options_.maxval, dtype);
  }
  std::string class_name() const override { return "RandomUniform"; }
  Json get_config() const override { return config::write(options_); }

 private:
  UniformOptions options_;
};

Initializer normal(const NormalOptions& options, bool truncated, SeedUse use) {
  return Initializer(std::make_shared<NormalImpl>(options, truncated, use));
}

}  // namespace

namespace initializers {

RandomNormal::RandomNormal(double mean, double stddev, NormalOptions options)
    : RandomNormal(by_position<&NormalOptions::mean, &NormalOptions::stddev>(
          "RandomNormal", options, mean, stddev)) {}

RandomNormal::RandomNormal(const NormalOptions& options)
    : Initializer(normal(options, false, SeedUse::once)) {}
TruncatedNormal::TruncatedNormal(double mean, double stddev, NormalOptions options)
    : TruncatedNormal(by_position<&NormalOptions::mean, &NormalOptions::stddev>(
          "TruncatedNormal", options, mean, stddev)) {}

TruncatedNormal::TruncatedNormal(const NormalOptions& options)
    : Initializer(normal(options, true, SeedUse::once)) {}
RandomUniform::RandomUniform(double minval, double maxval, UniformOptions options)
    : RandomUniform(by_position<&UniformOptions::minval, &UniformOptions::maxval>(
          "RandomUniform", options, minval, maxval)) {}

RandomUniform::RandomUniform(const UniformOptions& options)
    : Initializer(std::make_shared<UniformImpl>(options, SeedUse::once)) {}

InitializerFamily normal_and_uniform_initializers() {
  static constexpr InitializerClass kClasses[] = {
      {"RandomNormal",
       [](const Json& c) {
         return normal(config::read<NormalOptions>(c, "RandomNormal"), false, SeedUse::each_use);
       },
       {"normal"}},
      {"TruncatedNormal",
       [](const Json& c) {
         return normal(config::read<NormalOptions>(c, "TruncatedNormal"), true, SeedUse::each_use);
       }},
      {"RandomUniform",
       [](const Json& c) -> Initializer {
         return UniformImpl(config::read<UniformOptions>(c, "RandomUniform"), SeedUse::each_use);
       },
       {"uniform"}},
  };
  return kClasses;
}

}  // namespace initializers
}  // namespace antler
