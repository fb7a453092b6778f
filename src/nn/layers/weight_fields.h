#pragma once

#include "antler/nn/layer.h"

/// Layers whose options have an initializer, a regularizer and a constraint for each weight: the
/// weights, and the fields of these options.
namespace antler {

template <class V, class O>
void kernel_and_bias_fields(V& v, O& o) {
  v("kernel_initializer", o.kernel_initializer);
  v("bias_initializer", o.bias_initializer);
  v("kernel_regularizer", o.kernel_regularizer);
  v("bias_regularizer", o.bias_regularizer);
  v("activity_regularizer", o.activity_regularizer);
  v("kernel_constraint", o.kernel_constraint);
  v("bias_constraint", o.bias_constraint);
}

template <class O>
WeightOptions kernel_weight(const O& o, const Shape& shape) {
  return {.shape = shape,
          .initializer = o.kernel_initializer,
          .regularizer = o.kernel_regularizer,
          .constraint = o.kernel_constraint,
          .name = "kernel"};
}

template <class O>
WeightOptions recurrent_kernel_weight(const O& o, const Shape& shape) {
  return {.shape = shape,
          .initializer = o.recurrent_initializer,
          .regularizer = o.recurrent_regularizer,
          .constraint = o.recurrent_constraint,
          .name = "recurrent_kernel"};
}

template <class O>
WeightOptions bias_weight(const O& o, const Shape& shape) {
  return {.shape = shape,
          .initializer = o.bias_initializer,
          .regularizer = o.bias_regularizer,
          .constraint = o.bias_constraint,
          .name = "bias"};
}

template <class O>
WeightOptions gamma_weight(const O& o, const Shape& shape) {
  return {.shape = shape,
          .initializer = o.gamma_initializer,
          .regularizer = o.gamma_regularizer,
          .constraint = o.gamma_constraint,
          .name = "gamma"};
}

template <class O>
WeightOptions beta_weight(const O& o, const Shape& shape) {
  return {.shape = shape,
          .initializer = o.beta_initializer,
          .regularizer = o.beta_regularizer,
          .constraint = o.beta_constraint,
          .name = "beta"};
}

}  // namespace antler
