// VarianceScaling and its named special cases.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/initializers.h"
#include "antler/ops/random.h"
#include "nn/axis_fields.h"
#include "nn/initializers/classes.h"
#include "nn/initializers/random_initializer.h"
#include "nn/initializers/with_axes.h"

namespace antler {
namespace initializers {

template <class V>
void fields(V& v, VarianceScalingOptions& o) {
  v("seed", o.seed);
  v("scale", o.scale);
  v("mode", o.mode);
  v("distribution", o.distribution);
  v("input_axes", o.input_axes);
  v("output_axes", o.output_axes);
}
template <class V>
void fields(V& v, SeedOptions& o) {
  v("seed", o.seed);
  v("input_axes", o.input_axes);
  v("output_axes", o.output_axes);
}

}  // namespace initializers

namespace {

using initializers::InitializerClass;
using initializers::SeedOptions;
using initializers::VarianceScalingOptions;

/// Standard deviation of a standard normal distribution truncated at two standard deviations.
constexpr double kTruncatedStddev = 0.87962566103423978;

struct Fans {
  double in = 1;
  double out = 1;
};

double size_of(const Shape& shape, const std::vector<int64_t>& axes) {
  double size = 1;
  for (const int64_t axis : axes) size *= static_cast<double>(shape.dim(static_cast<int>(axis)));
  return size;
}

Fans fans_of(const Shape& shape, const VarianceScalingOptions& options) {
  if (options.input_axes && options.output_axes) {
    return {size_of(shape, options.input_axes->values()),
            size_of(shape, options.output_axes->values())};
  }
  if (shape.rank() == 0) return {};
  if (shape.rank() == 1) return {static_cast<double>(shape[0]), static_cast<double>(shape[0])};
  double field = 1;
  for (int i = 0; i < shape.rank() - 2; ++i) field *= static_cast<double>(shape[i]);
  return {field * static_cast<double>(shape.dim(-2)), field * static_cast<double>(shape.dim(-1))};
}

/// `class_name` may be the name of a special case, whose configuration has no scale, mode or
/// distribution.
class VarianceScalingImpl final : public RandomInitializer {
 public:
  VarianceScalingImpl(const char* class_name, VarianceScalingOptions options, SeedUse use)
      : RandomInitializer(options.seed, use),
        class_name_(class_name),
        options_(std::move(options)) {
    if (options_.distribution == "normal") options_.distribution = "truncated_normal";
    const auto is = [](const std::string& text, std::initializer_list<const char*> allowed) {
      return std::any_of(allowed.begin(), allowed.end(),
                         [&](const char* name) { return text == name; });
    };
    if (options_.scale <= 0) {
      throw ValueError("Argument `scale` must be a positive float. Received: scale={}",
                       options_.scale);
    }
    if (!is(options_.mode, {"fan_in", "fan_out", "fan_avg"})) {
      throw ValueError(
          "Invalid `mode` argument: {}. Please use one of 'fan_in', 'fan_out', 'fan_avg'.",
          options_.mode);
    }
    if (!is(options_.distribution, {"uniform", "truncated_normal", "untruncated_normal"})) {
      throw ValueError(
          "Invalid `distribution` argument: {}. Please use one of 'uniform', 'truncated_normal', "
          "'untruncated_normal'.",
          options_.distribution);
    }
  }

  Tensor call(const Shape& shape, DType dtype) const override {
    const Fans fans = fans_of(shape, options_);
    const double fan = options_.mode == "fan_in"    ? fans.in
                       : options_.mode == "fan_out" ? fans.out
                                                    : (fans.in + fans.out) / 2;
    const double scale = options_.scale / std::max(1.0, fan);
    if (options_.distribution == "truncated_normal") {
      return ops::random_truncated_normal(seed(), shape, 0, std::sqrt(scale) / kTruncatedStddev,
                                          dtype);
    }
    if (options_.distribution == "untruncated_normal") {
      return ops::random_normal(seed(), shape, 0, std::sqrt(scale), dtype);
    }
    const double limit = std::sqrt(3 * scale);
    return ops::random_uniform(seed(), shape, -limit, limit, dtype);
  }
  Initializer with_axes(const std::vector<int64_t>& inputs,
                        const std::vector<int64_t>& outputs) const {
    auto copy = std::make_shared<VarianceScalingImpl>(*this);
    copy->options_.input_axes = AxisList(inputs);
    copy->options_.output_axes = AxisList(outputs);
    return Initializer(std::move(copy));
  }
  bool has_axes() const { return options_.input_axes && options_.output_axes; }
  std::string class_name() const override { return class_name_; }
  Json get_config() const override {
    if (class_name_ == "VarianceScaling") return config::write(options_);
    return config::write(SeedOptions{given_seed(), options_.input_axes, options_.output_axes});
  }

 private:
  std::string class_name_;
  VarianceScalingOptions options_;
};

struct NamedCase {
  const char* class_name;
  double scale;
  const char* mode;
  const char* distribution;
};
constexpr NamedCase kGlorotNormal = {"GlorotNormal", 1, "fan_avg", "truncated_normal"};
constexpr NamedCase kGlorotUniform = {"GlorotUniform", 1, "fan_avg", "uniform"};
constexpr NamedCase kHeNormal = {"HeNormal", 2, "fan_in", "truncated_normal"};
constexpr NamedCase kHeUniform = {"HeUniform", 2, "fan_in", "uniform"};
constexpr NamedCase kLecunNormal = {"LecunNormal", 1, "fan_in", "truncated_normal"};
constexpr NamedCase kLecunUniform = {"LecunUniform", 1, "fan_in", "uniform"};

Initializer make(const NamedCase& named, const SeedOptions& options, SeedUse use) {
  return Initializer(std::make_shared<VarianceScalingImpl>(
      named.class_name,
      VarianceScalingOptions{.scale = named.scale,
                             .mode = named.mode,
                             .distribution = named.distribution,
                             .seed = options.seed,
                             .input_axes = options.input_axes,
                             .output_axes = options.output_axes},
      use));
}

template <const NamedCase& named>
constexpr InitializerClass named_class() {
  return {named.class_name, [](const Json& config) {
            return make(named, config::read<SeedOptions>(config, named.class_name),
                        SeedUse::each_use);
          }};
}

}  // namespace

Initializer with_axes(const Initializer& initializer, const std::vector<int64_t>& input_axes,
                      const std::vector<int64_t>& output_axes) {
  if (!initializer.given()) return initializer;
  const auto* impl = dynamic_cast<const VarianceScalingImpl*>(&initializer.impl());
  return impl == nullptr || impl->has_axes() ? initializer
                                             : impl->with_axes(input_axes, output_axes);
}

namespace initializers {

VarianceScaling::VarianceScaling(const VarianceScalingOptions& options)
    : Initializer(
          std::make_shared<VarianceScalingImpl>("VarianceScaling", options, SeedUse::once)) {}
GlorotNormal::GlorotNormal(const SeedOptions& options)
    : Initializer(make(kGlorotNormal, options, SeedUse::once)) {}
GlorotUniform::GlorotUniform(const SeedOptions& options)
    : Initializer(make(kGlorotUniform, options, SeedUse::once)) {}
HeNormal::HeNormal(const SeedOptions& options)
    : Initializer(make(kHeNormal, options, SeedUse::once)) {}
HeUniform::HeUniform(const SeedOptions& options)
    : Initializer(make(kHeUniform, options, SeedUse::once)) {}
LecunNormal::LecunNormal(const SeedOptions& options)
    : Initializer(make(kLecunNormal, options, SeedUse::once)) {}
LecunUniform::LecunUniform(const SeedOptions& options)
    : Initializer(make(kLecunUniform, options, SeedUse::once)) {}

InitializerFamily variance_scaling_initializers() {
  static constexpr InitializerClass kClasses[] = {
      {"VarianceScaling",
       [](const Json& c) -> Initializer {
         return VarianceScalingImpl("VarianceScaling",
                                    config::read<VarianceScalingOptions>(c, "VarianceScaling"),
                                    SeedUse::each_use);
       }},
      named_class<kGlorotNormal>(),
      named_class<kGlorotUniform>(),
      named_class<kHeNormal>(),
      named_class<kHeUniform>(),
      named_class<kLecunNormal>(),
      named_class<kLecunUniform>(),
  };
  return kClasses;
}

}  // namespace initializers
}  // namespace antler
