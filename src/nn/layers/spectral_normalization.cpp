#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/core/variable_origin.h"
#include "antler/nn/initializers.h"
#include "antler/nn/layers/normalization.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/normalization.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/products.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/layer_state.h"
#include "nn/layers/classes.h"
#include "nn/nested_layer.h"

namespace antler {

template <class V>
void fields(V& v, SpectralNormalizationOptions& o) {
  v("power_iterations", o.power_iterations);
}

SpectralNormalization::SpectralNormalization(const LayerHandle& layer,
                                             SpectralNormalizationOptions options)
    : LayerBase("SpectralNormalization", layer, base_options(options)),
      options_(std::move(options)) {
  if (options_.power_iterations <= 0) {
    throw ValueError(
        "`power_iterations` should be greater than zero. Received: `power_iterations={}`",
        options_.power_iterations);
  }
  set_input_spec({.min_ndim = 1});
}

void SpectralNormalization::build(const Shape& input_shape) {
  Wrapper::build(input_shape);
  for (const Variable& weight : layer()->weights()) {
    if (weight.name() == "kernel" || weight.name() == "embeddings") {
      kernel_ = weight;
      break;
    }
  }
  if (!kernel_.defined()) {
    throw ValueError("{} object has no attribute 'kernel' nor 'embeddings'", layer()->class_name());
  }
  // Keras also lists the kernel among the weights of the wrapper; files have this order.
  LayerInternals::state(*this).trainable_weights.push_back(kernel_);
  vector_u_ = add_weight({.shape = {1, kernel_.shape().back()},
                          .initializer = initializers::TruncatedNormal({.stddev = 0.02}),
                          .dtype = kernel_.dtype(),
                          .trainable = false,
                          .name = "vector_u"});
  set_input_spec({.min_ndim = 1, .axes = {{-1, input_shape.back()}}});
}

Tensor SpectralNormalization::call(const Tensor& input, const CallOptions& options) {
  if (options.training.value_or(false)) {
    const Tensor kernel = kernel_.value();
    const Tensor matrix = ops::reshape(kernel, {-1, kernel.shape().back()});
    const Tensor transposed = ops::transpose(matrix);
    const Tensor old = vector_u_.value();
    Tensor u = old;
    Tensor v;
    for (int64_t i = 0; i < options_.power_iterations; ++i) {
      v = ops::normalize(ops::matmul(u, transposed), {0, 1});
      u = ops::normalize(ops::matmul(v, matrix), {0, 1});
    }
    const Tensor sigma = ops::matmul(ops::matmul(v, matrix), ops::transpose(u));
    const Tensor normal = kernel / ops::reshape(sigma, {});
    // A zero kernel is not changed.
    const Tensor nothing = ops::all(ops::equal(kernel, Tensor(0.0)));
    const JointUpdate together;  // the new values depend only on the weights
    vector_u_.assign(ops::stop_gradient(ops::where(nothing, old, u)));
    kernel_.assign(ops::stop_gradient(ops::where(nothing, kernel, normal)));
  }
  return ops::cast((*layer())(input, {.training = options.training}), input.dtype());
}

Json SpectralNormalization::get_config() const {
  Json config = Wrapper::get_config();
  config["power_iterations"] = options_.power_iterations;
  return config;
}

namespace {

LayerPtr spectral_normalization_from_config(const Json& config) {
  SpectralNormalizationOptions options;
  LayerPtr layer;
  FieldReader reader(config, "SpectralNormalization");
  reader("name", options.name);
  reader("trainable", options.trainable);
  reader.dtype(options.dtype);
  reader("activity_regularizer", options.activity_regularizer);
  reader("layer", layer);
  fields(reader, options);
  reader.finish();
  if (layer == nullptr) {
    throw ValueError("SpectralNormalization: the configuration must have a `layer`. Received: {}",
                     config.dump());
  }
  return SpectralNormalization(layer, options).share();
}

}  // namespace

LayerClasses spectral_normalization_layers() {
  static constexpr LayerClass kClasses[] = {
      layer_class<SpectralNormalization>(spectral_normalization_from_config)};
  return kClasses;
}

}  // namespace antler
