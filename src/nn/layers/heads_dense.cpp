#include "nn/layers/heads_dense.h"

#include "antler/ops/elementwise.h"
#include "antler/ops/linalg.h"

namespace antler {

HeadsDense::HeadsDense(const HeadsDenseOptions& options)
    : LayerBase("EinsumDense",  // Keras's class for it
                LayerOptions{.name = options.name,
                             .dtype = options.dtype,
                             .activity_regularizer = options.activity_regularizer}),
      options_(options) {}

void HeadsDense::build(const Shape& input_shape) {
  Shape kernel;
  for (int i = input_shape.rank() - options_.contracted; i < input_shape.rank(); ++i) {
    kernel.push_back(input_shape[i]);
  }
  for (int64_t size : options_.units) kernel.push_back(size);
  kernel_ = add_weight({.name = "kernel",
                        .shape = kernel,
                        .initializer = options_.kernel_initializer,
                        .regularizer = options_.kernel_regularizer,
                        .constraint = options_.kernel_constraint});
  if (options_.use_bias) {
    bias_ = add_weight({.name = "bias",
                        .shape = Shape(options_.units),
                        .initializer = options_.bias_initializer,
                        .regularizer = options_.bias_regularizer,
                        .constraint = options_.bias_constraint});
  }
}

Tensor HeadsDense::call(const Tensor& input, const CallOptions&) {
  Tensor y = ops::tensordot(input, value_of(kernel_), options_.contracted);
  if (options_.use_bias) y = y + value_of(bias_);
  return options_.activation(y);
}

}  // namespace antler
