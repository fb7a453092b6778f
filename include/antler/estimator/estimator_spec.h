#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "antler/base/error.h"
#include "antler/core/arity.h"
#include "antler/core/nest.h"
#include "antler/core/variable.h"
#include "antler/estimator/export_output.h"
#include "antler/estimator/mode_keys.h"
#include "antler/nn/metric.h"

namespace antler::estimator {

class SessionRunHook;
class Scaffold;
using HookPtr = std::shared_ptr<SessionRunHook>;
using Hooks = std::vector<HookPtr>;

/// Marks that a graph updates variables. minimize() of an optimizer returns it. The updates
/// themselves are part of the trace.
class TrainOp {
 public:
  TrainOp() = default;
  static TrainOp made() { return TrainOp(true); }
  /// Combines several of them (tf.group).
  static TrainOp group(const std::vector<TrainOp>& ops);
  bool defined() const { return defined_; }

 private:
  explicit TrainOp(bool defined) : defined_(defined) {}
  bool defined_ = false;
};

/// A metric of an evaluation: variables that the graph updates with each batch, and a value that is
/// computed from them once, at the end. Made by the functions of estimator::metrics, or from a
/// Keras metric that was updated in the model_fn.
struct EvalMetricOp {
  EvalMetricOp() = default;
  EvalMetricOp(std::function<Tensor()> value, Tensor update)
      : value(std::move(value)), update(std::move(update)) {}
  /// Throws ValueError, when the spec is checked, if the metric was not updated in this model_fn.
  EvalMetricOp(const Metric& metric);     // NOLINT(google-explicit-constructor)
  EvalMetricOp(const MetricPtr& metric);  // NOLINT(google-explicit-constructor)

  std::function<Tensor()> value = {};  ///< computes the value from the variables, eagerly
  Tensor update = {};  ///< the traced result of the update; undefined for Keras metrics
  MetricPtr keras = {};
  /// The update has no value, like that of TensorFlow's counting metrics: exported graphs have an
  /// empty tensor in its place.
  bool update_has_no_value = false;
};
/// By name.
using EvalMetricOps = std::map<std::string, EvalMetricOp>;

/// What a model_fn returns (tf.estimator.EstimatorSpec). Fields that the mode does not need are
/// ignored. Shapes: `loss` has one element; predictions are batch-major.
struct EstimatorSpec {
  ModeKeys mode = ModeKeys::train;
  std::optional<Nest> predictions = {};  ///< a tensor, or a dictionary of tensors
  Tensor loss = {};
  TrainOp train_op = {};
  EvalMetricOps eval_metric_ops = {};
  std::optional<ExportOutputs> export_outputs = {};
  Hooks training_chief_hooks = {};
  Hooks training_hooks = {};
  std::shared_ptr<Scaffold> scaffold = {};
  Hooks evaluation_hooks = {};
  Hooks prediction_hooks = {};
};

/// A copy with changed fields (`_replace`): `replaced(spec, [](auto& s) { s.loss = loss; })`.
/// Throws ValueError if the mode is changed, and what check_spec() throws.
EstimatorSpec replaced(const EstimatorSpec& spec,
                       const std::function<void(EstimatorSpec& spec)>& change);

/// Tensors that are passed to a function, by position or by name.
using HostTensors = Nest;

/// Turns tensors into a dictionary by the parameters of a function. Throws TypeError for names that
/// are not parameters, for parameters without a tensor, and for the wrong number of tensors.
HostTensors bind_parameters(const std::vector<std::string>& parameters, const HostTensors& tensors);

/// A function of HostTensors. It gets the list or dictionary unchanged; a function of Tensors or of
/// several tensors, such as `metric_fn(labels, logits)`, gets those of the list, and throws
/// TypeError for a dictionary. If it has named parameters, it gets a dictionary of them, whether
/// tensors are passed by position or by name.
template <class Result>
class HostFunction {
 public:
  using Function = std::function<Result(const HostTensors& tensors)>;
  HostFunction() = default;
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, HostFunction> &&
           std::is_invocable_r_v<Result, F&, const HostTensors&>)
      HostFunction(F function)  // NOLINT(google-explicit-constructor)
      : function_(std::move(function)) {}
  template <class F>
  requires(!std::is_invocable_v<F&, const HostTensors&> &&
           std::is_invocable_r_v<Result, F&, const Tensors&>)
      HostFunction(F function)  // NOLINT(google-explicit-constructor)
      : function_([function = std::move(function)](const HostTensors& tensors) mutable -> Result {
          return function(tensors.flatten());
        }) {}
  template <class F>
  requires(internal::arity<F, Tensor, 2>() != 0)
      HostFunction(F function)  // NOLINT(google-explicit-constructor)
      : function_([function = std::move(function)](const HostTensors& tensors) mutable -> Result {
          if (!tensors.is_list()) {
            throw TypeError(
                "The function takes its tensors by position, so they must be a list. Received: {}",
                tensors.structure());
          }
          return std::apply(function, tensors.unpack<internal::arity<F, Tensor, 2>()>());
        }),
        tensor_count_(internal::arity<F, Tensor, 2>()) {}
  HostFunction(std::vector<std::string> parameters, Function function)
      : function_(std::move(function)), parameters_(std::move(parameters)) {}
  explicit operator bool() const { return static_cast<bool>(function_); }
  /// How many tensors it takes, if it takes them one by one.
  std::optional<size_t> parameter_count() const {
    return parameters_ ? parameters_->size() : tensor_count_;
  }
  /// Throws what bind_parameters() and the function throw.
  Result operator()(const HostTensors& tensors) const {
    return function_(parameters_ ? bind_parameters(*parameters_, tensors) : tensors);
  }

 private:
  Function function_;
  std::optional<std::vector<std::string>> parameters_;
  std::optional<size_t> tensor_count_;  // of a function of several tensors
};

/// `(metric_fn, tensors)` of a TPUEstimatorSpec: the tensors of all replicas are concatenated along
/// axis 0, then metric_fn makes the metrics.
struct EvalMetrics {
  HostFunction<EvalMetricOps> metric_fn = {};
  HostTensors tensors = {};  ///< a list or a dictionary; each of rank >= 1, batch-major
};

/// `(host_fn, tensors)` of a TPUEstimatorSpec: the function is called on the host with the values
/// of the tensors, at each step of training and evaluation (or every n-th, see TPUConfig).
struct HostCall {
  HostFunction<void> host_fn = {};
  HostTensors tensors = {};  ///< a list or a dictionary
};

/// What a model_fn returns to a TPUEstimator (tf.estimator.tpu.TPUEstimatorSpec).
struct TPUEstimatorSpec {
  ModeKeys mode = ModeKeys::train;
  std::optional<Nest> predictions = {};  ///< a dictionary of batch-major tensors
  Tensor loss = {};
  TrainOp train_op = {};
  std::optional<EvalMetrics> eval_metrics = {};
  std::optional<ExportOutputs> export_outputs = {};
  std::function<std::shared_ptr<Scaffold>()> scaffold_fn = {};
  std::optional<HostCall> host_call = {};
  Hooks training_hooks = {};
  Hooks evaluation_hooks = {};
  Hooks prediction_hooks = {};
};

/// The types that a model_fn may return.
using ModelSpec = std::variant<std::monostate, EstimatorSpec, TPUEstimatorSpec>;

/// Checks that the fields which the mode needs are set and belong to the graph that is being
/// traced. Throws ValueError for a missing loss, train_op or predictions, a loss of more than one
/// element, tensors of another graph, a Keras metric that was not updated, or wrong export_outputs.
/// Throws TypeError for predictions that are neither a tensor nor a dictionary of tensors.
void check_spec(const EstimatorSpec& spec);
/// Also checks `eval_metrics` and `host_call`. Throws TypeError without a function, ValueError for
/// tensors that are neither a list nor a dictionary, and RuntimeError for a list whose length is
/// not the number of the function's parameters.
void check_spec(const TPUEstimatorSpec& spec);

}  // namespace antler::estimator
