#pragma once

#include "antler/estimator/estimator_spec.h"
#include "estimator/graph_ops.h"

namespace antler::conformance::estimators {

/// The loss of a model: a function of tf.compat.v1.losses, or the sum of several.
Tensor loss_of(const Json& loss, const NamedTensors& tensors);

/// A metric of tf.compat.v1.metrics, or with `keras` of tf.keras.metrics.
est::EvalMetricOp metric_of(const Json& metric, const NamedTensors& tensors);

/// The training op of an optimizer of tf.compat.v1.train for the loss.
est::TrainOp train_op_of(const Json& optimizer, const Tensor& loss);

}  // namespace antler::conformance::estimators
