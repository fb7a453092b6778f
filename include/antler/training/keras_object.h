#pragma once

#include <string>
#include <variant>

#include "antler/core/dtype.h"
#include "antler/nn/activations.h"
#include "antler/nn/constraint.h"
#include "antler/nn/dtype_policy.h"
#include "antler/nn/initializers.h"
#include "antler/nn/loss.h"
#include "antler/nn/metric.h"
#include "antler/nn/object_factory.h"
#include "antler/nn/optimizer.h"
#include "antler/nn/regularizer.h"

/// Keras objects to and from their configurations (keras.saving), and small helpers of keras.utils.
namespace antler {

/// Keras's {"module", "class_name", "config", "registered_name"}. An activation function becomes
/// {"module": "builtins", "class_name": "function", "config": name}.
Json serialize_keras_object(const Layer& layer);
Json serialize_keras_object(const Loss& loss);
Json serialize_keras_object(const Metric& metric);
Json serialize_keras_object(const Optimizer& optimizer);
Json serialize_keras_object(const LearningRateSchedule& schedule);
Json serialize_keras_object(const Initializer& initializer);
Json serialize_keras_object(const Regularizer& regularizer);
Json serialize_keras_object(const Constraint& constraint);
Json serialize_keras_object(const ActivationFunction& activation);
Json serialize_keras_object(const DTypePolicy& policy);

/// Any object that a configuration can describe; empty for null. A model is a layer.
using KerasObject =
    std::variant<std::monostate, LayerPtr, Loss, MetricPtr, OptimizerPtr, LearningRateSchedule,
                 Initializer, Regularizer, Constraint, ActivationFunction, DTypePolicy>;

/// The object that a configuration describes. Its kind is that of the class registered under its
/// name; if there is none, `module` decides. Throws TypeError for an unknown class or module,
/// ValueError for an invalid configuration.
KerasObject deserialize_keras_object(const Json& config, const CustomObjects& custom_objects = {});

/// Whether a tensor is a placeholder of a functional model.
bool is_keras_tensor(const Tensor& x);
/// The input placeholders that a placeholder is computed from, in depth-first order. Throws
/// TypeError if `tensor` is not a placeholder.
Tensors get_source_inputs(const Tensor& tensor);
/// Keras's name of a dtype; "int" means "int64". Throws ValueError for an unknown one.
std::string standardize_dtype(const std::string& dtype);

}  // namespace antler
