#include "antler/estimator/estimator_spec.h"

#include <algorithm>
#include <set>

#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "base/strings.h"
#include "estimator/estimator_state.h"

namespace antler::estimator {
namespace {

void require_in_graph(const char* what, const std::string& name, const Tensor& tensor) {
  const ir::Tracer* tracer = ir::Tracer::current();
  if (tracer != nullptr ? tracer->can_use(tensor) : tensor.is_value()) return;
  throw ValueError(
      "{} with \"{}\" must be from the default graph. Possible causes of this error include: 1) it "
      "was made outside of this call of the model_fn; 2) it is a placeholder of a functional "
      "model.",
      what, name);
}

void check_loss(const Tensor& loss, ModeKeys mode) {
  if (!loss.defined()) {
    if (mode != ModeKeys::predict) throw ValueError("Missing loss.");
    return;
  }
  if (loss.size() != 1) {
    throw ValueError("Loss must be scalar, given: a tensor of shape {}", loss.shape());
  }
  require_in_graph("loss", "loss", loss);
}

void check_train_op(const TrainOp& train_op, ModeKeys mode) {
  if (!train_op.defined() && mode == ModeKeys::train) throw ValueError("Missing train_op.");
}

void check_predictions(const std::optional<Nest>& predictions, ModeKeys mode) {
  if (!predictions || predictions->is_none()) {
    if (mode == ModeKeys::predict) throw ValueError("Missing predictions.");
    return;
  }
  if (predictions->is_tensor()) {
    return require_in_graph("prediction values", "predictions", predictions->tensor());
  }
  if (!predictions->is_dict()) {
    throw TypeError("predictions must be Tensor or a dictionary, given: a list");
  }
  for (const auto& [key, value] : predictions->items()) {
    if (!value.is_tensor() || value.is_none()) {
      throw TypeError("predictions[{}] must be Tensor, given: {}", key, value.structure());
    }
    require_in_graph("prediction values", key, value.tensor());
  }
}

void check_export_outputs(const std::optional<ExportOutputs>& outputs, ModeKeys mode) {
  constexpr const char* kDefault = "serving_default";
  if (!outputs || mode != ModeKeys::predict) return;
  std::set<std::string> names;
  for (const auto& [name, output] : *outputs) {
    if (!names.insert(name).second) {
      throw ValueError("`export_outputs` has two entries with the name '{}'.", name);
    }
    check_export_output(output);
  }
  if (outputs->size() > 1 && !names.contains(kDefault)) {
    throw ValueError(
        "Multiple `export_outputs` were provided, but none of them are specified as the default. "
        "Use the name '{}' for one of them.",
        kDefault);
  }
}

void check_metric(const std::string& name, const EvalMetricOp& metric) {
  if (metric.keras != nullptr) {
    const Variables variables = metric.keras->variables();
    const ir::Tracer* tracer = ir::Tracer::current();
    const bool updated =
        tracer != nullptr && std::any_of(variables.begin(), variables.end(),
                                         [&](const auto& v) { return tracer->has_assigned(v); });
    if (!updated) {
      throw ValueError("Please call update_state(...) on the \"{}\" metric", metric.keras->name());
    }
    return;
  }
  if (!metric.value || !metric.update.defined()) {
    throw TypeError(
        "Values of eval_metric_ops must be (metric_value, update_op) tuples, given one without {} "
        "for key: {}",
        metric.value ? "update" : "value", name);
  }
  require_in_graph("eval_metric_ops", name, metric.update);
}

template <class Result>
void check_host_function(const char* name, const HostFunction<Result>& function,
                         const HostTensors& tensors) {
  if (!function) throw TypeError("{}[0] should be callable.", name);
  if (tensors.is_tensor()) throw ValueError("{}[1] should be tuple or list, or dict.", name);
  const std::optional<size_t> count = function.parameter_count();
  if (tensors.is_list() && count && tensors.size() != *count) {
    throw RuntimeError(
        "In TPUEstimatorSpec.{}, length of tensors {} does not match method args of the function, "
        "which takes {}.",
        name, tensors.size(), *count);
  }
}

}  // namespace

TrainOp TrainOp::group(const std::vector<TrainOp>& ops) {
  const bool all =
      std::all_of(ops.begin(), ops.end(), [](const TrainOp& op) { return op.defined(); });
  if (!all) throw ValueError("TrainOp::group: one of the {} ops is not defined.", ops.size());
  return made();
}

EvalMetricOp::EvalMetricOp(const Metric& metric) : EvalMetricOp(metric.share()) {}

EvalMetricOp::EvalMetricOp(const MetricPtr& metric)
    : value([metric]() -> Tensor { return metric->result(); }), keras(metric) {
  if (metric == nullptr) throw TypeError("eval_metric_ops: a metric is a null pointer.");
}

EstimatorSpec replaced(const EstimatorSpec& spec,
                       const std::function<void(EstimatorSpec& spec)>& change) {
  EstimatorSpec copy = spec;
  change(copy);
  if (copy.mode != spec.mode) throw ValueError("mode of EstimatorSpec cannot be changed.");
  check_spec(copy);
  return copy;
}

HostTensors bind_parameters(const std::vector<std::string>& parameters,
                            const HostTensors& tensors) {
  const auto names = [&] { return join(parameters); };
  Nest::Items items;
  if (!tensors.is_dict()) {
    if (tensors.size() != parameters.size()) {
      throw TypeError("The function takes {} positional arguments ({}) but {} were given",
                      parameters.size(), names(), tensors.size());
    }
    for (size_t i = 0; i < parameters.size(); ++i) items.emplace_back(parameters[i], tensors[i]);
    return Nest::dict(std::move(items));
  }
  for (const auto& [key, value] : tensors.items()) {
    if (std::find(parameters.begin(), parameters.end(), key) == parameters.end()) {
      throw TypeError("The function got an unexpected keyword argument '{}'. It takes: {}", key,
                      names());
    }
  }
  for (const std::string& parameter : parameters) {
    if (!tensors.contains(parameter)) {
      throw TypeError("The function is missing a required argument: '{}'", parameter);
    }
    items.emplace_back(parameter, tensors.at(parameter));
  }
  return Nest::dict(std::move(items));
}

void check_spec(const EstimatorSpec& spec) {
  check_train_op(spec.train_op, spec.mode);
  check_loss(spec.loss, spec.mode);
  check_predictions(spec.predictions, spec.mode);
  check_export_outputs(spec.export_outputs, spec.mode);
  for (const Hooks* hooks : {&spec.training_hooks, &spec.training_chief_hooks,
                             &spec.evaluation_hooks, &spec.prediction_hooks}) {
    check_hooks(*hooks);
  }
  for (const auto& [name, metric] : spec.eval_metric_ops) check_metric(name, metric);
}

void check_spec(const TPUEstimatorSpec& spec) {
  if (spec.eval_metrics) {
    check_host_function("eval_metrics", spec.eval_metrics->metric_fn, spec.eval_metrics->tensors);
  }
  if (spec.host_call) {
    check_host_function("host_call", spec.host_call->host_fn, spec.host_call->tensors);
  }
  check_train_op(spec.train_op, spec.mode);
  check_loss(spec.loss, spec.mode);
  check_predictions(spec.predictions, spec.mode);
  check_export_outputs(spec.export_outputs, spec.mode);
  for (const Hooks* hooks : {&spec.training_hooks, &spec.evaluation_hooks, &spec.prediction_hooks})
    check_hooks(*hooks);
}

}  // namespace antler::estimator
