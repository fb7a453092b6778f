#include <algorithm>
#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/layers/normalization.h"
#include "antler/ops/collectives.h"
#include "antler/ops/core.h"
#include "antler/ops/nn/activations.h"
#include "antler/ops/nn/normalization.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "nn/layers/classes.h"
#include "nn/layers/weight_fields.h"

namespace antler {

static void write_field(Json& out, const RenormClipping& value) {
  out = Json::object();
  if (value.rmax) out["rmax"] = *value.rmax;
  if (value.rmin) out["rmin"] = *value.rmin;
  if (value.dmax) out["dmax"] = *value.dmax;
}

static void read_field(const Json& in, RenormClipping& value) {
  if (!in.is_object()) throw TypeError("expected a dictionary");
  value = {};
  for (const auto& [key, limit] : in.items()) {
    if (key == "rmax") {
      read_field(limit, value.rmax);
    } else if (key == "rmin") {
      read_field(limit, value.rmin);
    } else if (key == "dmax") {
      read_field(limit, value.dmax);
    } else {
      throw TypeError("expected the keys 'rmax', 'rmin', 'dmax'");
    }
  }
}

/// The fields of both option structs.
template <class V, class Options>
void common_fields(V& v, Options& o) {
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
}

template <class V>
void fields(V& v, SyncBatchNormalizationOptions& o) {
  common_fields(v, o);
}

template <class V>
void fields(V& v, BatchNormalizationOptions& o) {
  common_fields(v, o);
  v("synchronized", o.synchronized);
  v("renorm", o.renorm);
  v("renorm_clipping", o.renorm_clipping);
  v("renorm_momentum", o.renorm_momentum);
}

namespace {

/// Keeps the division by the number of unmasked elements finite.
constexpr double kFuzz = 1e-7;

/// Moments over the elements that the mask [batch, ...] keeps. All features of a position share its
/// mask.
ops::Moments masked_moments(const Tensor& x, const Tensor& mask, const ops::Axes& axes) {
  const Tensor keep =
      ops::broadcast_to(ops::expand_dims(ops::cast(mask, DType::boolean), -1), x.shape());
  const Tensor count =
      ops::sum(ops::cast(keep, x.dtype()), axes, {.keepdims = true}) + Tensor(kFuzz);
  const Tensor mean = ops::sum(ops::where(keep, x, Tensor(0.0)), axes, {.keepdims = true}) / count;
  const Tensor distance = ops::where(keep, x - mean, Tensor(0.0));
  const Tensor variance = ops::sum(ops::square(distance), axes, {.keepdims = true}) / count;
  const Shape features{mean.size()};
  return {ops::reshape(mean, features), ops::reshape(variance, features)};
}

/// Moments over the batches of all replicas. Each row has the same weight, even if replicas have
/// different numbers of rows.
ops::Moments synchronized_moments(const Tensor& x, const ops::Axes& axes) {
  const Tensor total = ops::all_reduce(ops::sum(x, axes));
  const Tensor squares = ops::all_reduce(ops::sum(ops::square(x), axes));
  const int64_t rows = x.size() / std::max<int64_t>(total.size(), 1);
  const Tensor count = ops::all_reduce(Tensor::full(x.dtype(), {}, static_cast<double>(rows)));
  const Tensor mean = total / count;
  return {mean, squares / count - ops::square(mean)};
}

}  // namespace

BatchNormalization::BatchNormalization(const BatchNormalizationOptions& options)
    : BatchNormalization("BatchNormalization", options) {}

BatchNormalization::BatchNormalization(const char* class_name,
                                       const BatchNormalizationOptions& options)
    : LayerBase(class_name, base_options(options)), options_(options) {
  if (options_.renorm) {
    if (!options_.renorm_clipping) options_.renorm_clipping.emplace();
    const RenormClipping& limits = *options_.renorm_clipping;
    if (limits.rmax && limits.rmin && *limits.rmax < *limits.rmin) {
      throw ValueError(
          "rmax should be greater than rmin in the `renorm_clipping` argument. Received: rmax={}, "
          "rmin={}.",
          *limits.rmax, *limits.rmin);
    }
    if (limits.dmax && *limits.dmax < 0) {
      throw ValueError(
          "dmax should be non-negative in the `renorm_clipping` argument. Received: dmax={}.",
          *limits.dmax);
    }
  }
  set_supports_masking(true);
}

void BatchNormalization::build(const Shape& input_shape) {
  const int axis = normalize_axis(options_.axis, input_shape.rank(), "BatchNormalization: axis");
  const int64_t features = input_shape[axis];
  if (features == Shape::kUnknown) {
    throw ValueError(
        "BatchNormalization: the size of axis {} must be known. Received: input_shape={}",
        options_.axis, input_shape);
  }
  const Shape shape{features};
  if (options_.scale) gamma_ = add_weight(gamma_weight(options_, shape));
  if (options_.center) beta_ = add_weight(beta_weight(options_, shape));
  // As in Keras 2, each replica of a distribution strategy has moving statistics of its own batches
  // and also uses them in inference. Reading or saving a statistic takes the mean over the
  // replicas.
  const auto add_statistic = [&](const char* name, const Initializer& initializer) {
    return add_weight({.shape = shape,
                       .initializer = initializer,
                       .trainable = false,
                       .synchronization = VariableSynchronization::on_read,
                       .aggregation = VariableAggregation::mean,
                       .name = name});
  };
  moving_mean_ = add_statistic("moving_mean", options_.moving_mean_initializer);
  moving_variance_ = add_statistic("moving_variance", options_.moving_variance_initializer);
  if (options_.renorm) {
    // The standard deviation starts as the square root of the initial variance.
    const auto add_stddev = [&](const char* name) {
      const Tensor variance = options_.moving_variance_initializer(shape, variable_dtype());
      Variable stddev = add_statistic(name, "zeros");
      stddev.store(ops::sqrt(variance));
      return stddev;
    };
    moving_stddev_ = add_stddev("moving_stddev");
    renorm_mean_ = add_statistic("renorm_mean", options_.moving_mean_initializer);
    renorm_stddev_ = add_stddev("renorm_stddev");
  }
  set_input_spec({.ndim = input_shape.rank(), .axes = {{axis, features}}});
}

void BatchNormalization::correct(const Tensor& mean, const Tensor& stddev, Tensor& gamma,
                                 Tensor& beta) const {
  const DType dtype = mean.dtype();
  const Tensor old_stddev =
      ops::maximum(ops::cast(renorm_stddev_, dtype), Tensor(std::sqrt(options_.epsilon)));
  const RenormClipping& limits = *options_.renorm_clipping;
  Tensor r = stddev / old_stddev;
  Tensor d = (mean - ops::cast(renorm_mean_, dtype)) / old_stddev;
  if (limits.rmin) r = ops::maximum(r, Tensor(*limits.rmin));
  if (limits.rmax) r = ops::minimum(r, Tensor(*limits.rmax));
  if (limits.dmax) d = ops::clip(d, Tensor(-*limits.dmax), Tensor(*limits.dmax));
  r = ops::stop_gradient(r);
  d = ops::stop_gradient(d);
  const Tensor offset = gamma.defined() ? d * gamma : d;
  beta = beta.defined() ? offset + beta : offset;
  gamma = gamma.defined() ? r * gamma : r;
}

Tensor BatchNormalization::call(const Tensor& input, const CallOptions& options) {
  if (options.mask.defined() && options.mask.rank() != input.rank() - 1) {
    throw ValueError(
        "The mask provided should be one dimension less than the inputs. Received: mask.shape={}, "
        "inputs.shape={}",
        options.mask.shape(), input.shape());
  }
  // Sums of half-precision numbers could overflow, so the dtype is at least float32.
  const DType dtype = promote_types(input.dtype(), DType::float32);
  const Tensor x = ops::cast(input, dtype);
  const auto value = [&](const Variable& v) {
    return v.defined() ? ops::cast(v, dtype) : Tensor();
  };
  const int axis = normalize_axis(options_.axis, x.rank(), "BatchNormalization: axis");
  ops::Moments stats{value(moving_mean_), value(moving_variance_)};
  Tensor gamma = value(gamma_);
  Tensor beta = value(beta_);
  if (options.training.value_or(false) && trainable()) {
    ops::Axes axes;
    for (int i = 0; i < x.rank(); ++i) {
      if (i != axis) axes.push_back(i);
    }
    const bool is_synchronized =
        ops::replica_count() > 1 && (options_.synchronized || ops::has_joint_statistics());
    const ops::Moments batch = options.mask.defined() ? masked_moments(x, options.mask, axes)
                               : is_synchronized      ? synchronized_moments(x, axes)
                                                      : ops::moments(x, axes);
    const auto update = [&](const Variable& moving, const Tensor& now, double momentum) {
      const Tensor next = value(moving) * Tensor(momentum) + now * Tensor(1 - momentum);
      moving.assign(ops::cast(ops::stop_gradient(next), moving.dtype()));
    };
    if (options_.renorm) {
      const Tensor stddev = ops::sqrt(batch.variance + Tensor(options_.epsilon));
      correct(batch.mean, stddev, gamma, beta);
      update(renorm_mean_, batch.mean, options_.renorm_momentum);
      update(renorm_stddev_, stddev, options_.renorm_momentum);
      update(moving_mean_, batch.mean, options_.momentum);
      update(moving_stddev_, stddev, options_.momentum);
      const Tensor variance = ops::square(moving_stddev_.value()) - Tensor(options_.epsilon);
      moving_variance_.assign(
          ops::cast(ops::stop_gradient(ops::relu(variance)), moving_variance_.dtype()));
    } else {
      update(moving_mean_, batch.mean, options_.momentum);
      update(moving_variance_, batch.variance, options_.momentum);
    }
    stats = batch;
  }
  // Reshapes [features] so that it broadcasts along the axis.
  const auto along_axis = [&](const Tensor& t) {
    if (!t.defined() || axis == x.rank() - 1) return t;
    Shape shape(std::vector<int64_t>(static_cast<size_t>(x.rank() - axis), 1));
    shape[0] = t.shape()[0];
    return ops::reshape(t, shape);
  };
  const Tensor y = ops::batch_normalization(x, along_axis(stats.mean), along_axis(stats.variance),
                                            along_axis(beta), along_axis(gamma), options_.epsilon);
  return ops::cast(y, compute_dtype());
}

Json BatchNormalization::get_config() const { return config_of(*this, options_); }

SyncBatchNormalization::SyncBatchNormalization(const SyncBatchNormalizationOptions& o)
    : LayerBase(
          "SyncBatchNormalization",
          BatchNormalizationOptions{.axis = o.axis,
                                    .momentum = o.momentum,
                                    .epsilon = o.epsilon,
                                    .center = o.center,
                                    .scale = o.scale,
                                    .beta_initializer = o.beta_initializer,
                                    .gamma_initializer = o.gamma_initializer,
                                    .moving_mean_initializer = o.moving_mean_initializer,
                                    .moving_variance_initializer = o.moving_variance_initializer,
                                    .beta_regularizer = o.beta_regularizer,
                                    .gamma_regularizer = o.gamma_regularizer,
                                    .beta_constraint = o.beta_constraint,
                                    .gamma_constraint = o.gamma_constraint,
                                    .synchronized = true,
                                    .name = o.name,
                                    .dtype = o.dtype,
                                    .trainable = o.trainable,
                                    .activity_regularizer = o.activity_regularizer}),
      options_(o) {}

Json SyncBatchNormalization::get_config() const { return config_of(*this, options_); }

LayerClasses batch_normalization_layers() {
  static constexpr LayerClass kClasses[] = {
      layer_class<BatchNormalization, BatchNormalizationOptions>(),
      layer_class<SyncBatchNormalization, SyncBatchNormalizationOptions>(),
  };
  return kClasses;
}

}  // namespace antler
