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

/// Any of Keras's objects to and from its configurations (keras.saving), and the small questions of
/// keras.utils.
namespace antler {

/// {"module", "class_name", "config", "registered_name"}, Keras's form; a function that is an
/// activation is {"module": "builtins", "class_name": "function", "config": name}.
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

/// What a configuration may stand for; a layer may be a model. Nothing for null.
using KerasObject =
    std::variant<std::monostate, LayerPtr, Loss, MetricPtr, OptimizerPtr, LearningRateSchedule,
                 Initializer, Regularizer, Constraint, ActivationFunction, DTypePolicy>;

/// The object of a configuration in that form. Its kind is that of the class registered under its
/// name, if any, else it is told by `module`. Throws TypeError for an unknown class or module,
/// ValueError for a configuration that does not fit.
KerasObject deserialize_keras_object(const Json& config, const CustomObjects& custom_objects = {});

/// Whether this is a placeholder of a functional model.
bool is_keras_tensor(const Tensor& x);
/// The placeholders that a placeholder is computed from, in the order in which its layers meet
/// them. Throws TypeError for a tensor that is none.
Tensors get_source_inputs(const Tensor& tensor);
/// Keras's name of a dtype: "int" is "int64", "string" is a dtype too. Throws ValueError for an
/// unknown one.
std::string standardize_dtype(const std::string& dtype);

}  // namespace antler
