#include <utility>

#include "antler/base/error.h"
#include "antler/nn/layers/core.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/linalg.h"
#include "nn/fields.h"
#include "nn/layers/list.h"

namespace antler {

template <class V>
void fields(V& v, DenseOptions& o) {
  v("units", o.units);
  v("activation", o.activation);
  v("use_bias", o.use_bias);
  v("kernel_initializer", o.kernel_initializer);
  v("bias_initializer", o.bias_initializer);
  v("kernel_regularizer", o.kernel_regularizer);
  v("bias_regularizer", o.bias_regularizer);
  v("kernel_constraint", o.kernel_constraint);
  v("bias_constraint", o.bias_constraint);
  v.constant("quantization_config", nullptr);
}

Dense::Dense(int64_t units, DenseOptions options)
    : Dense((options.units = units, std::as_const(options))) {}

Dense::Dense(const DenseOptions& options)
    : LayerBase("Dense", base_options(options)), options_(options) {
  if (options_.units <= 0) {
    throw ValueError(
        "Received an invalid value for `units`, expected a positive integer. Received: units=" +
        std::to_string(options_.units));
  }
  set_input_spec({.min_ndim = 2});
  set_supports_masking(true);
}

void Dense::build(const Shape& input_shape) {
  const int64_t features = input_shape.back();
  if (features == Shape::kUnknown) {
    throw ValueError(
        "The last dimension of the inputs to a Dense layer should be defined. Found None. Full "
        "input "
        "shape received: " +
        input_shape.str());
  }
  kernel_ = add_weight({.name = "kernel",
                        .shape = {features, options_.units},
                        .initializer = options_.kernel_initializer,
                        .regularizer = options_.kernel_regularizer,
                        .constraint = options_.kernel_constraint});
  if (options_.use_bias) {
    bias_ = add_weight({.name = "bias",
                        .shape = {options_.units},
                        .initializer = options_.bias_initializer,
                        .regularizer = options_.bias_regularizer,
                        .constraint = options_.bias_constraint});
  }
  set_input_spec({.min_ndim = 2, .axes = {{-1, features}}});
}

Tensor Dense::call(const Tensor& input, const CallOptions&) {
  const Tensor kernel = value_of(kernel_);
  Tensor x = input.rank() == 2
                 ? ops::matmul(input, kernel)
                 : ops::dot_general(input, kernel,
                                    {.lhs_contract = {input.rank() - 1}, .rhs_contract = {0}});
  if (options_.use_bias) x = x + value_of(bias_);
  return options_.activation(x);
}

Json Dense::get_config() const { return config_of(*this, options_); }

LayerPtr dense_from_config(const Json& config) {
  return Dense(options_from<DenseOptions>(config, "Dense")).share();
}

}  // namespace antler
