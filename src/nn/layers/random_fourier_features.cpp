#include <cmath>
#include <numbers>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/initializers.h"
#include "antler/nn/layers/legacy.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/products.h"
#include "nn/layers/classes.h"

namespace antler {

namespace {

constexpr const char* kGaussian = "gaussian";
constexpr const char* kLaplacian = "laplacian";

/// The Cauchy distribution, by inversion of its cumulative distribution function.
Tensor cauchy(const Shape& shape) {
  const Tensor uniform = initializers::RandomUniform({.minval = 0, .maxval = 1})(shape);
  return ops::tan((uniform - 0.5) * std::numbers::pi);
}

}  // namespace

template <class V>
void fields(V& v, RandomFourierFeaturesOptions& o) {
  v.required("output_dim", o.output_dim);
  v("scale", o.scale);
}

RandomFourierFeatures::RandomFourierFeatures(int64_t output_dim,
                                             RandomFourierFeaturesOptions options)
    : RandomFourierFeatures(by_position<&RandomFourierFeaturesOptions::output_dim>(
          "RandomFourierFeatures", std::move(options), output_dim)) {}

RandomFourierFeatures::RandomFourierFeatures(const RandomFourierFeaturesOptions& options)
    : LayerOf(options) {
  if (options_.output_dim <= 0) {
    throw ValueError("`output_dim` should be a positive integer. Received: {}",
                     options_.output_dim);
  }
  if (!options_.kernel_initializer.given() && options_.kernel != kGaussian &&
      options_.kernel != kLaplacian) {
    throw ValueError(
        "Unsupported `kernel_initializer`: {}. Expected one of: ['gaussian', 'laplacian']",
        options_.kernel);
  }
  if (options_.scale && *options_.scale <= 0) {
    throw ValueError("When provided, `scale` should be a positive float. Received: {}",
                     *options_.scale);
  }
}

void RandomFourierFeatures::build(const Shape& input_shape) {
  if (input_shape.rank() != 2) {
    throw ValueError(
        "The rank of the input tensor should be 2. Received input with rank {} instead. Full input "
        "shape received: {}",
        input_shape.rank(), input_shape);
  }
  const int64_t inputs = input_shape.back();
  if (inputs == Shape::kUnknown) {
    throw ValueError(
        "The last dimension of the input tensor should be defined. Found `None`. Full input shape "
        "received: {}",
        input_shape);
  }
  set_input_spec({.ndim = 2, .axes = {{1, inputs}}});
  const bool named = !options_.kernel_initializer.given();
  const bool laplacian = named && options_.kernel == kLaplacian;
  const Shape shape{inputs, options_.output_dim};
  const double usual = named && !laplacian ? std::sqrt(static_cast<double>(inputs) / 2) : 1;
  kernel_ =
      add_weight({.shape = shape,
                  .initializer = named ? Initializer(initializers::RandomNormal({.stddev = 1}))
                                       : options_.kernel_initializer,
                  .dtype = DType::float32,
                  .trainable = false,
                  .name = "unscaled_kernel"});
  if (laplacian) kernel_.store(cauchy(shape));
  bias_ = add_weight(
      {.shape = {options_.output_dim},
       .initializer = initializers::RandomUniform({.minval = 0, .maxval = 2 * std::numbers::pi}),
       .dtype = DType::float32,
       .trainable = false,
       .name = "bias"});
  scale_ = add_weight({.shape = {1},
                       .initializer = initializers::Constant(options_.scale.value_or(usual)),
                       .dtype = DType::float32,
                       .trainable = true,
                       .constraint = constraints::NonNeg(),
                       .name = "kernel_scale"});
}

Tensor RandomFourierFeatures::call(const Tensor& input, const CallOptions&) {
  const Tensor kernel = kernel_.value() / scale_.value();
  const Tensor angles = ops::matmul(ops::cast(input, DType::float32), kernel) + bias_.value();
  return ops::cast(ops::cos(angles), compute_dtype());
}

Json RandomFourierFeatures::get_config() const {
  Json config = Layer::get_config();
  config["output_dim"] = options_.output_dim;
  config["kernel_initializer"] = options_.kernel_initializer.given()
                                     ? initializers::serialize(options_.kernel_initializer)
                                     : Json(options_.kernel);
  config["scale"] = options_.scale ? Json(*options_.scale) : Json(nullptr);
  return config;
}

namespace {

LayerPtr random_fourier_features_from_config(const Json& config) {
  Json rest = config;
  Json kernel = kGaussian;
  if (rest.contains("kernel_initializer")) {
    kernel = rest["kernel_initializer"];
    rest.erase("kernel_initializer");
  }
  auto options = options_from<RandomFourierFeaturesOptions>(rest, "RandomFourierFeatures");
  if (kernel.is_string()) {
    options.kernel = kernel.get<std::string>();
  } else {
    options.kernel_initializer = initializers::deserialize(kernel);
  }
  return RandomFourierFeatures(options).share();
}

}  // namespace

LayerClasses random_fourier_features_layers() {
  static constexpr LayerClass kClasses[] = {
      layer_class<RandomFourierFeatures>(random_fourier_features_from_config)};
  return kClasses;
}

}  // namespace antler
