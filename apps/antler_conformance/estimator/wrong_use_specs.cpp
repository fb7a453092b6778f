#include "estimator/wrong_use_specs.h"

#include "antler/core/string_handles.h"
#include "antler/estimator/export_output.h"
#include "antler/estimator/serving.h"
#include "antler/ir/tracer.h"
#include "antler/nn/metrics.h"
#include "estimator/objects.h"
#include "estimator/recording_hooks.h"

namespace antler::conformance::estimators {
namespace {

const Json kFine = {{"accepted", true}};

TensorSpec described_spec(const Json& described) {
  std::vector<int64_t> sizes;
  for (const Json& size : described.at("shape")) {
    sizes.push_back(size.is_null() ? Shape::kUnknown : size.get<int64_t>());
  }
  const auto dtype = described.at("dtype").get<std::string>();
  return {dtype == "string" ? kStringDType : parse_dtype(dtype), Shape(sizes)};
}

/// Traced tensors, such as a model_fn would have made.
class TracedArguments {
 public:
  Tensor tensor(const Json& value) {
    if (value.is_null()) return {};
    if (value.contains("@tensor_elsewhere")) {
      const ir::TraceSuspension outside;
      ir::Tracer other;
      return other.input(described_spec(value["@tensor_elsewhere"]));
    }
    return tracer_.input(described_spec(value.at("@tensor")));
  }
  /// A tensor, or a list or dictionary of them.
  Nest nest(const Json& value) {
    if (value.is_null()) return {};
    if (value.contains("@tensor") || value.contains("@tensor_elsewhere")) return tensor(value);
    std::vector<Nest> list;
    Nest::Items items;
    for (const auto& [key, item] : value.items()) {
      list.push_back(nest(item));
      items.emplace_back(key, list.back());
    }
    return value.is_array() ? Nest(list) : Nest::dict(std::move(items));
  }
  est::EvalMetricOp metric(const Json& value) {
    if (value.contains("@metric_object")) return metrics::Mean("mean");
    return {[] { return Tensor(0.0); }, tracer_.input({DType::float32, {}})};
  }
  est::ExportOutput output(const std::string& name, const Json& args);

 private:
  ir::Tracer tracer_;
};

est::ExportOutput TracedArguments::output(const std::string& name, const Json& args) {
  if (name == "PredictOutput") return est::PredictOutput{.outputs = nest(member(args, "outputs"))};
  if (name == "ClassificationOutput") {
    return est::ClassificationOutput{.scores = tensor(member(args, "scores")),
                                     .classes = tensor(member(args, "classes"))};
  }
  return est::RegressionOutput{.value = tensor(member(args, "value"))};
}

est::ModeKeys spec_mode(const Json& mode) {
  if (mode == "train") return est::ModeKeys::train;
  return mode == "eval" ? est::ModeKeys::eval : est::ModeKeys::predict;
}

/// The fields that both specs have.
template <class Spec>
void read_fields(TracedArguments& traced, const Json& args, Spec& spec) {
  if (args.contains("mode")) spec.mode = spec_mode(args["mode"]);
  if (args.contains("loss")) spec.loss = traced.tensor(args["loss"]);
  if (!member(args, "train_op").is_null()) spec.train_op = est::TrainOp::made();
  if (!member(args, "predictions").is_null()) spec.predictions = traced.nest(args["predictions"]);
  if (const Json& outputs = member(args, "export_outputs"); !outputs.is_null()) {
    spec.export_outputs.emplace();
    for (const auto& [name, output] : outputs.items()) {
      spec.export_outputs->emplace_back(
          name,
          traced.output(output.at("@make").template get<std::string>(), arguments_of(output)));
    }
  }
}

Json plain_spec_row(const Json& row) {
  TracedArguments traced;
  const Json& args = row.at("args");
  est::EstimatorSpec spec;
  read_fields(traced, args, spec);
  for (const auto& [name, metric] : member(args, "eval_metric_ops").items()) {
    spec.eval_metric_ops.emplace(name, traced.metric(metric));
  }
  check_spec(spec);
  for (const Json& then : member(row, "then")) {
    spec = replaced(
        spec, [&](est::EstimatorSpec& other) { read_fields(traced, arguments_of(then), other); });
  }
  return kFine;
}

/// [{"@fn": parameters}, tensors], a list or "@tuple".
template <class Call>
Call host_function_of(TracedArguments& traced, const Json& value) {
  const Json& pair = value.contains("@tuple") ? value["@tuple"] : value;
  const auto parameters = pair.at(0).at("@fn").get<std::vector<std::string>>();
  Call call{};
  call.tensors = traced.nest(pair.at(1));
  if constexpr (std::same_as<Call, est::EvalMetrics>) {
    call.metric_fn = {parameters, [](const est::HostTensors&) { return est::EvalMetricOps(); }};
  } else {
    call.host_fn = {parameters, [](const est::HostTensors&) {}};
  }
  return call;
}

Json tpu_spec_row(const Json& row) {
  TracedArguments traced;
  const Json& args = row.at("args");
  est::TPUEstimatorSpec spec;
  read_fields(traced, args, spec);
  if (const Json& call = member(args, "eval_metrics"); !call.is_null()) {
    spec.eval_metrics = host_function_of<est::EvalMetrics>(traced, call);
  }
  if (const Json& call = member(args, "host_call"); !call.is_null()) {
    spec.host_call = host_function_of<est::HostCall>(traced, call);
  }
  check_spec(spec);
  // as_estimator_spec calls metric_fn.
  if (!member(row, "then").empty() && spec.eval_metrics) {
    spec.eval_metrics->metric_fn(spec.eval_metrics->tensors);
  }
  return kFine;
}

Json receiver_row(const std::string& name, const Json& args) {
  est::ServingInputReceiver receiver;
  for (const auto& [key, tensor] : member(args, "receiver_tensors").items()) {
    receiver.receiver_tensors.emplace_back(
        key, est::ServingPlaceholder{.spec = described_spec(tensor.at("@tensor"))});
  }
  if (!member(args, "features").is_null()) {
    receiver.features = [](const Nest& tensors) { return tensors; };
  }
  receiver.is_unnamed = name == "TensorServingInputReceiver";
  check_receiver(receiver);
  return kFine;
}

}  // namespace

Json spec_row(const std::string& name, const Json& row) {
  if (name == "EstimatorSpec") return plain_spec_row(row);
  if (name == "TPUEstimatorSpec") return tpu_spec_row(row);
  if (name.ends_with("Receiver")) return receiver_row(name, row.at("args"));
  if (name == "PredictOutput" || name == "ClassificationOutput" || name == "RegressionOutput") {
    TracedArguments traced;
    check_export_output(traced.output(name, row.at("args")));
    return kFine;
  }
  throw Unsupported{"the class '" + name + "'"};
}

}  // namespace antler::conformance::estimators
