// LeakyReLU, PReLU, ELU.
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layers/activations.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/numpy/elementwise.h"
#include "nn/layers/classes.h"

namespace antler {

template <class V>
void fields(V& v, LeakyReLUOptions& o) {
  v("negative_slope", o.negative_slope);
  v.legacy("alpha", o.negative_slope);
}

template <class V>
void fields(V& v, PReLUOptions& o) {
  v("alpha_initializer", o.alpha_initializer);
  v("alpha_regularizer", o.alpha_regularizer);
  v("alpha_constraint", o.alpha_constraint);
  v("shared_axes", o.shared_axes);
}

template <class V>
void fields(V& v, ELUOptions& o) {
  v("alpha", o.alpha);
}

LeakyReLU::LeakyReLU(double negative_slope, LeakyReLUOptions options)
    : LeakyReLU(by_position<&LeakyReLUOptions::negative_slope>("LeakyReLU", std::move(options),
                                                               negative_slope)) {}

LeakyReLU::LeakyReLU(const LeakyReLUOptions& options) : LayerOf(options) {
  if (options_.negative_slope < 0) {
    throw ValueError(
        "The negative_slope value of a Leaky ReLU layer cannot be None or negative value. Expected "
        "a float. Received: negative_slope={}",
        options_.negative_slope);
  }
  set_supports_masking(true);
}

Tensor LeakyReLU::call(const Tensor& input, const CallOptions&) {
  return ops::leaky_relu(input, options_.negative_slope);
}

PReLU::PReLU(const PReLUOptions& options) : LayerOf(options) { set_supports_masking(true); }

void PReLU::build(const Shape& input_shape) {
  Shape shape;  // for a scalar input, too
  for (int i = 1; i < input_shape.rank(); ++i) shape.push_back(input_shape[i]);
  InputSpec spec{.ndim = input_shape.rank()};
  if (options_.shared_axes) {
    for (int64_t axis : *options_.shared_axes) {
      const int at = normalize_axis(axis, input_shape.rank(), "PReLU: shared_axes");
      if (at == 0) throw ValueError("PReLU: `shared_axes` cannot name axis 0, the batch.");
      shape[at - 1] = 1;
    }
    for (int i = 0; i < shape.rank() && !options_.shared_axes->empty(); ++i) {
      if (shape[i] != 1) spec.axes.emplace_back(i + 1, shape[i]);
    }
  }
  if (!shape.is_known()) {
    throw ValueError(
        "PReLU: the sizes of all axes that are not shared must be known. Received: input_shape={}",
        input_shape);
  }
  alpha_ = add_weight({.shape = shape,
                       .initializer = options_.alpha_initializer,
                       .regularizer = options_.alpha_regularizer,
                       .constraint = options_.alpha_constraint,
                       .name = "alpha"});
  set_input_spec(std::move(spec));
}

Tensor PReLU::call(const Tensor& input, const CallOptions&) {
  return ops::relu(input) - value_of(alpha_) * ops::relu(-input);
}

ELU::ELU(double alpha, ELUOptions options)
    : ELU(by_position<&ELUOptions::alpha>("ELU", std::move(options), alpha)) {}

ELU::ELU(const ELUOptions& options) : LayerOf(options) { set_supports_masking(true); }

Tensor ELU::call(const Tensor& input, const CallOptions&) {
  return ops::elu(input, options_.alpha);
}

Json ELU::get_config() const {
  // In Keras's order.
  Json config = Json::object();
  config["name"] = name();
  config["alpha"] = options_.alpha;
  const Json base = Layer::get_config();  // NOLINT(bugprone-parent-virtual-call): without options
  for (const auto& [key, value] : base.items()) config[key] = value;
  return config;
}

LayerClasses leaky_re_lu_layers() { return layer_classes<LeakyReLU, PReLU, ELU>(); }

}  // namespace antler
