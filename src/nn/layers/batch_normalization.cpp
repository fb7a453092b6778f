#include <string>

#include "antler/base/error.h"
#include "antler/nn/layers/normalization.h"
#include "antler/ops/elementwise.h"
#include "antler/ops/nn.h"
#include "antler/ops/reduce.h"
#include "antler/ops/shape.h"
#include "nn/fields.h"
#include "nn/layers/list.h"

namespace antler {

template <class V>
void fields(V& v, BatchNormalizationOptions& o) {
  v("axis", o.axis);
  v("momentum", o.momentum);
  v("epsilon", o.epsilon);
  v("center", o.center);
  v("scale", o.scale);
  v("beta_initializer", o.beta_initializer);
  v("gamma_initializer", o.gamma_initializer);
  v("moving_mean_initializer", o.moving_mean_initializer);
  v("moving_variance_initializer", o.moving_variance_initializer);
  v("beta_regularizer", o.beta_regularizer);
  v("gamma_regularizer", o.gamma_regularizer);
  v("beta_constraint", o.beta_constraint);
  v("gamma_constraint", o.gamma_constraint);
  v.constant("synchronized", false);
  v.constant("renorm", false);
  v.constant("renorm_clipping", nullptr);
  v.constant("renorm_momentum", 0.99);
}

namespace {

/// Keeps the division by the number of unmasked elements finite.
constexpr double kFuzz = 1e-7;

/// Moments over the elements that the mask [batch, ...] keeps; every feature of a position shares
/// its mask.
ops::Moments masked_moments(const Tensor& x, const Tensor& mask, const ops::Axes& axes) {
  const Tensor weights =
      ops::broadcast_to(ops::expand_dims(ops::cast(mask, x.dtype()), -1), x.shape());
  const Tensor count = ops::sum(weights, axes, true) + Tensor(kFuzz);
  const Tensor mean = ops::sum(weights * x, axes, true) / count;
  const Tensor variance = ops::sum(weights * ops::square(x - mean), axes, true) / count;
  const Shape features{mean.size()};
  return {ops::reshape(mean, features), ops::reshape(variance, features)};
}

}  // namespace

BatchNormalization::BatchNormalization(const BatchNormalizationOptions& options)
    : LayerBase("BatchNormalization", base_options(options)), options_(options) {
  set_supports_masking(true);
}

void BatchNormalization::build(const Shape& input_shape) {
  const int axis = normalize_axis(options_.axis, input_shape.rank(), "BatchNormalization: axis");
  const int64_t features = input_shape[axis];
  if (features == Shape::kUnknown) {
    throw ValueError("BatchNormalization: the size of axis " + std::to_string(options_.axis) +
                     " must be known. Received: input_shape=" + input_shape.str());
  }
  const Shape shape{features};
  if (options_.scale) {
    gamma_ = add_weight({.name = "gamma",
                         .shape = shape,
                         .initializer = options_.gamma_initializer,
                         .regularizer = options_.gamma_regularizer,
                         .constraint = options_.gamma_constraint});
  }
  if (options_.center) {
    beta_ = add_weight({.name = "beta",
                        .shape = shape,
                        .initializer = options_.beta_initializer,
                        .regularizer = options_.beta_regularizer,
                        .constraint = options_.beta_constraint});
  }
  moving_mean_ = add_weight({.name = "moving_mean",
                             .shape = shape,
                             .initializer = options_.moving_mean_initializer,
                             .trainable = false});
  moving_variance_ = add_weight({.name = "moving_variance",
                                 .shape = shape,
                                 .initializer = options_.moving_variance_initializer,
                                 .trainable = false});
  set_input_spec({.ndim = input_shape.rank(), .axes = {{axis, features}}});
}

Tensor BatchNormalization::call(const Tensor& input, const CallOptions& options) {
  if (options.mask.defined() && options.mask.rank() != input.rank() - 1) {
    throw ValueError(
        "The mask provided should be one dimension less than the inputs. Received: mask.shape=" +
        options.mask.shape().str() + ", inputs.shape=" + input.shape().str());
  }
  // Sums of half-precision numbers overflow, so at least float32.
  const DType dtype = promote_types(input.dtype(), DType::float32);
  const Tensor x = ops::cast(input, dtype);
  const auto value = [&](const Variable& v) {
    return v.defined() ? ops::cast(v, dtype) : Tensor();
  };
  const int axis = normalize_axis(options_.axis, x.rank(), "BatchNormalization: axis");
  ops::Moments stats{value(moving_mean_), value(moving_variance_)};
  if (options.training.value_or(false) && trainable()) {
    ops::Axes axes;
    for (int i = 0; i < x.rank(); ++i) {
      if (i != axis) axes.push_back(i);
    }
    const ops::Moments batch =
        options.mask.defined() ? masked_moments(x, options.mask, axes) : ops::moments(x, axes);
    const auto update = [&](const Variable& moving, const Tensor& old, const Tensor& now) {
      const Tensor next = old * Tensor(options_.momentum) + now * Tensor(1 - options_.momentum);
      moving.assign(ops::cast(ops::stop_gradient(next), moving.dtype()));
    };
    update(moving_mean_, stats.mean, batch.mean);
    update(moving_variance_, stats.variance, batch.variance);
    stats = batch;
  }
  // [features] aligned with its axis.
  const auto along_axis = [&](const Tensor& t) {
    if (!t.defined() || axis == x.rank() - 1) return t;
    Shape shape(std::vector<int64_t>(static_cast<size_t>(x.rank() - axis), 1));
    shape[0] = t.shape()[0];
    return ops::reshape(t, shape);
  };
  const Tensor y = ops::batch_normalization(x, along_axis(stats.mean), along_axis(stats.variance),
                                            along_axis(value(beta_)), along_axis(value(gamma_)),
                                            options_.epsilon);
  return ops::cast(y, compute_dtype());
}

Json BatchNormalization::get_config() const { return config_of(*this, options_); }

LayerPtr batch_normalization_from_config(const Json& config) {
  return BatchNormalization(options_from<BatchNormalizationOptions>(config, "BatchNormalization"))
      .share();
}

}  // namespace antler
