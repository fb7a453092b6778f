#include "estimator/export/signatures.h"

#include <algorithm>
#include <array>
#include <map>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/ir/tracer.h"
#include "antler/ops/numpy/manipulation.h"
#include "base/strings.h"
#include "saving/export/tf_attributes.h"
#include "saving/export/tf_signature.h"

namespace antler::estimator {
namespace {

using Kind = SignaturePlan::Kind;

constexpr const char* kServingDefault = "serving_default";

/// The tensors of a tensor or a dictionary, by key.
std::vector<std::pair<std::string, Tensor>> named_tensors(const Nest& nest,
                                                          const std::string& single_key) {
  std::vector<std::pair<std::string, Tensor>> tensors;
  if (nest.is_tensor() && !nest.is_none()) {
    tensors.emplace_back(single_key, nest.tensor());
    return tensors;
  }
  if (!nest.is_dict()) {
    throw ValueError("The outputs of an export must be a tensor or a dictionary of tensors.");
  }
  for (const auto& [key, value] : nest.items()) {
    if (!value.is_tensor() || value.is_none()) {
      throw ValueError("The output '{}' of an export is not a tensor.", key);
    }
    tensors.emplace_back(key, value.tensor());
  }
  return tensors;
}

SignaturePlan plan_of(const std::string& name, const ExportOutput& output) {
  SignaturePlan plan{.name = name};
  if (const auto* predict = std::get_if<PredictOutput>(&output)) {
    plan.outputs = named_tensors(predict->outputs, "output");
  } else if (const auto* classify = std::get_if<ClassificationOutput>(&output)) {
    plan.kind = Kind::classify;
    if (classify->classes.defined()) plan.outputs.emplace_back("classes", classify->classes);
    if (classify->scores.defined()) plan.outputs.emplace_back("scores", classify->scores);
  } else if (const auto* regress = std::get_if<RegressionOutput>(&output)) {
    plan.kind = Kind::regress;
    plan.outputs.emplace_back("outputs", regress->value);
  }
  return plan;
}

std::vector<SignaturePlan> plan_predictions(const EstimatorSpec& spec) {
  ExportOutputs outputs;
  if (spec.export_outputs) {
    outputs = *spec.export_outputs;
  } else if (spec.predictions) {
    outputs.emplace_back(kServingDefault, PredictOutput{*spec.predictions});
  }
  if (outputs.empty()) throw ValueError("`export_outputs` must have at least one entry.");
  std::vector<SignaturePlan> plans;
  for (const auto& [name, output] : outputs) plans.push_back(plan_of(name, output));
  const bool has_default = std::any_of(plans.begin(), plans.end(), [](const SignaturePlan& plan) {
    return plan.name == kServingDefault;
  });
  if (!has_default && plans.size() > 1) {
    throw ValueError(
        "Multiple `export_outputs` were provided, but none of them are specified as the default. "
        "Name one of them \"serving_default\".");
  }
  if (!has_default) {
    plans.push_back(plans.front());
    plans.back().name = kServingDefault;
  }
  return plans;
}

std::string prefixed(const std::string& prefix, const std::string& key) {
  return key.starts_with(prefix) ? key : prefix + "/" + key;
}

SignaturePlan plan_supervised(const EstimatorSpec& spec) {
  const bool trains = spec.mode == ModeKeys::train;
  SignaturePlan plan{.kind = trains ? Kind::train : Kind::eval, .name = mode_name(spec.mode)};
  plan.outputs.emplace_back("loss", ops::reshape(spec.loss, Shape{}));
  if (spec.predictions) {
    for (const auto& [key, tensor] : named_tensors(*spec.predictions, "predictions")) {
      plan.outputs.emplace_back(prefixed("predictions", key), tensor);
    }
  }
  if (trains) return plan;
  for (const auto& [name, metric] : spec.eval_metric_ops) {
    const ir::TraceSuspension outside;
    const Tensor value = metric.value ? metric.value() : metric.keras->result().tensor();
    const std::string key = prefixed("metrics", name);
    plan.outputs.emplace_back(key + "/value", value);
    Tensor update = metric.update.defined() ? metric.update : value;
    if (metric.update_has_no_value) update = Tensor::zeros(DType::float32, {0});
    plan.outputs.emplace_back(key + "/update_op", update);
  }
  return plan;
}

struct Method {
  const char* title;
  const char* name;
  const char* input_key;  ///< of its only receiver; null: any receivers under their own keys
};

const Method& method_of(Kind kind) {
  static constexpr std::array<Method, 5> kMethods = {
      {{"Predict", saving::kPredictMethod, nullptr},
       {"Classify", saving::kClassifyMethod, "inputs"},
       {"Regress", saving::kRegressMethod, "inputs"},
       {"Train", saving::kTrainMethod, nullptr},
       {"Eval", saving::kEvalMethod, nullptr}}};
  return kMethods[static_cast<size_t>(kind)];
}

io::WireWriter info_of(const saving::TfPlace& place) {
  return saving::tensor_info(place.value, place.type, place.dims);
}

io::WireWriter signature_def(const SignaturePlan& plan, const Places& places,
                             const Receivers& receivers) {
  const Method& method = method_of(plan.kind);
  io::WireWriter signature;
  for (const auto& [key, place] : receivers) {
    signature.message(
        1, saving::map_entry(method.input_key != nullptr ? method.input_key : key, info_of(place)));
  }
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    signature.message(2, saving::map_entry(plan.outputs[i].first, info_of(places[i])));
  }
  signature.bytes(3, method.name);
  return signature;
}

}  // namespace

std::vector<SignaturePlan> plan_signatures(const EstimatorSpec& spec) {
  if (spec.mode == ModeKeys::predict) return plan_predictions(spec);
  return {plan_supervised(spec)};
}

SignatureReport write_signatures(
    const std::vector<SignaturePlan>& plans, const std::vector<Places>& places,
    const Receivers& receivers,
    const std::vector<std::pair<std::string, Receivers>>& alternatives) {
  SignatureReport report;
  std::map<Kind, std::vector<std::string>> included;
  std::vector<std::string> excluded;
  const auto add = [&](const std::string& prefix, const Receivers& given) {
    for (size_t i = 0; i < plans.size(); ++i) {
      const SignaturePlan& plan = plans[i];
      const std::string name = prefix + plan.name;
      const Method& method = method_of(plan.kind);
      if (method.input_key != nullptr &&
          (given.size() != 1 || given.front().second.type != io::kTfString)) {
        excluded.push_back(format("'{}' : {} input must be a single string Tensor", name,
                                  plan.kind == Kind::classify ? "Classification" : "Regression"));
        continue;
      }
      report.fields.message(5, saving::map_entry(name, signature_def(plan, places[i], given)));
      report.included.push_back(name);
      included[plan.kind].push_back(format("'{}'", name));
    }
  };
  add("", receivers);
  for (const auto& [name, given] : alternatives) add(name + ":", given);
  for (const Kind kind : {Kind::classify, Kind::regress, Kind::predict, Kind::train, Kind::eval}) {
    const std::vector<std::string>& names = included[kind];
    logging::info(format("Signatures INCLUDED in export for {}: {}", method_of(kind).title,
                         names.empty() ? "None" : "[" + join(names, ", ") + "]"));
  }
  if (!excluded.empty()) {
    logging::info(
        "Signatures EXCLUDED from export because they cannot be be served via TensorFlow Serving "
        "APIs:");
    for (const std::string& line : excluded) logging::info(line);
  }
  if (report.included.empty()) logging::warning("Export includes no signature!");
  return report;
}

}  // namespace antler::estimator
