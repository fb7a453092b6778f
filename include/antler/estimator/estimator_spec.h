#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

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

/// That a graph updates variables; what optimizers' minimize() returns. The updates themselves are
/// part of the trace.
class TrainOp {
 public:
  TrainOp() = default;
  static TrainOp made() { return TrainOp(true); }
  /// One that consists of several (tf.group).
  static TrainOp group(const std::vector<TrainOp>& ops);
  bool defined() const { return defined_; }

 private:
  explicit TrainOp(bool defined) : defined_(defined) {}
  bool defined_ = false;
};

/// A metric of an evaluation: variables that the graph updates with each batch, and their value,
/// which is read once, at the end. estimator::metrics makes them; a Keras metric that was updated
/// in the model_fn is one as well.
struct EvalMetricOp {
  EvalMetricOp() = default;
  EvalMetricOp(std::function<Tensor()> value, Tensor update)
      : value(std::move(value)), update(std::move(update)) {}
  /// Throws ValueError, when the spec is checked, if the metric was not updated in this model_fn.
  EvalMetricOp(const Metric& metric);     // NOLINT(google-explicit-constructor)
  EvalMetricOp(const MetricPtr& metric);  // NOLINT(google-explicit-constructor)

  std::function<Tensor()> value = {};  ///< computes from the variables, eagerly
  Tensor update = {};  ///< of the trace: what the update gives; undefined for Keras metrics
  MetricPtr keras = {};
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

/// Tensors that are passed to a function, by position or by name.
using HostTensors = Nest;

/// `(metric_fn, tensors)` of a TPUEstimatorSpec: the tensors of all replicas are concatenated along
/// axis 0, then metric_fn makes the metrics.
struct EvalMetrics {
  std::function<EvalMetricOps(const HostTensors& tensors)> metric_fn = {};
  HostTensors tensors = {};  ///< a list or a dictionary; each of rank >= 1, batch-major
};

/// `(host_fn, tensors)` of a TPUEstimatorSpec: the function is called on the host with the values
/// of the tensors, at each step of train and evaluate (or each n-th, see TPUConfig).
struct HostCall {
  std::function<void(const HostTensors& values)> host_fn = {};
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

/// What model_fn may return.
using ModelSpec = std::variant<std::monostate, EstimatorSpec, TPUEstimatorSpec>;

/// Checks what its mode needs. Throws ValueError for a missing loss, train_op or predictions, a
/// loss of more than one element, a Keras metric that was not updated, wrong export_outputs;
/// TypeError for wrong types (an eager tensor or placeholder where one of the trace is expected).
void check_spec(const EstimatorSpec& spec);
/// Checks also `eval_metrics` and `host_call`: ValueError without function or tensors that are
/// neither a list nor a dictionary.
void check_spec(const TPUEstimatorSpec& spec);

}  // namespace antler::estimator
