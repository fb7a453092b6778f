#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/nn/by_position.h"
#include "antler/nn/layers/normalization.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/layers/classes.h"
#include "nn/layers/weight_fields.h"

namespace antler {

template <class V>
void fields(V& v, GroupNormalizationOptions& o) {
  v("groups", o.groups);
  v("axis", o.axis);
  v("epsilon", o.epsilon);
  v("center", o.center);
  v("scale", o.scale);
  v("beta_initializer", o.beta_initializer);
  v("gamma_initializer", o.gamma_initializer);
  v("beta_regularizer", o.beta_regularizer);
  v("gamma_regularizer", o.gamma_regularizer);
  v("beta_constraint", o.beta_constraint);
  v("gamma_constraint", o.gamma_constraint);
}

GroupNormalization::GroupNormalization(int64_t groups, GroupNormalizationOptions options)
    : GroupNormalization(by_position<&GroupNormalizationOptions::groups>(
          "GroupNormalization", std::move(options), groups)) {}

GroupNormalization::GroupNormalization(const GroupNormalizationOptions& options)
    : LayerOf(options) {
  if (options_.groups <= 0 && options_.groups != -1) {
    throw ValueError(
        "Received an invalid value for argument `groups`, expected a positive integer (or `-1` for "
        "instance normalization). Received: groups={}",
        options_.groups);
  }
  set_supports_masking(true);
  set_autocast(false);
}

void GroupNormalization::build(const Shape& input_shape) {
  const int axis = normalize_axis(options_.axis, input_shape.rank(), "GroupNormalization: axis");
  const int64_t features = input_shape[axis];
  if (features == Shape::kUnknown) {
    throw ValueError(
        "Axis {} of input tensor should have a defined dimension but the layer received an input "
        "with shape {}.",
        options_.axis, input_shape);
  }
  const int64_t groups = options_.groups == -1 ? features : options_.groups;
  if (features < groups) {
    throw ValueError("Number of groups ({}) cannot be more than the number of channels ({}).",
                     groups, features);
  }
  if (features % groups != 0) {
    throw ValueError("The number of channels ({}) must be a multiple of the number of groups ({}).",
                     features, groups);
  }
  if (options_.scale) gamma_ = add_weight(gamma_weight(options_, {features}));
  if (options_.center) beta_ = add_weight(beta_weight(options_, {features}));
  set_input_spec({.ndim = input_shape.rank(), .axes = {{axis, features}}});
}

namespace {

/// The mean of each group, repeated for its features: [batch, 1 ..., features, ... 1]. Features are
/// averaged one by one first, because they are contiguous in memory and groups are not.
Tensor group_means(const Tensor& x, int axis, int64_t groups) {
  const Shape& shape = x.shape();
  ops::Axes axes;
  for (int i = 1; i < shape.rank(); ++i) {
    if (i != axis) axes.push_back(i);
  }
  const Tensor means = axes.empty() ? x : ops::mean(x, axes, {.keepdims = true});
  const Shape apart = {shape[0], groups, shape[axis] / groups};
  const Tensor of_groups = ops::mean(ops::reshape(means, apart), {2}, {.keepdims = true});
  return ops::reshape(ops::broadcast_to(of_groups, apart), means.shape());
}

}  // namespace

Tensor GroupNormalization::call(const Tensor& input, const CallOptions&) {
  // Sums of half-precision numbers could overflow, so the dtype is at least float32.
  const DType dtype = promote_types(input.dtype(), DType::float32);
  const Shape& shape = input.shape();
  const int axis = normalize_axis(options_.axis, shape.rank(), "GroupNormalization: axis");
  const int64_t groups = options_.groups == -1 ? shape[axis] : options_.groups;
  Shape aligned(std::vector<int64_t>(static_cast<size_t>(shape.rank()), 1));
  aligned[axis] = shape[axis];
  const Tensor x = ops::cast(input, dtype);
  const Tensor mean = group_means(x, axis, groups);
  const Tensor variance = group_means(ops::square(x - mean), axis, groups);
  Tensor factor = ops::rsqrt(variance + Tensor(options_.epsilon));
  if (options_.scale) factor = factor * ops::reshape(ops::cast(gamma_, dtype), aligned);
  Tensor offset = ops::negative(mean) * factor;
  if (options_.center) offset = offset + ops::reshape(ops::cast(beta_, dtype), aligned);
  return ops::cast(x * factor + offset, compute_dtype());
}

LayerClasses group_normalization_layers() { return layer_classes<GroupNormalization>(); }

}  // namespace antler
