#include "estimator/model.h"

#include <algorithm>

#include "antler/estimator/graph.h"
#include "antler/estimator/hooks.h"
#include "antler/io/summary.h"
#include "antler/ops/ops.h"
#include "estimator/graph_ops.h"
#include "estimator/hooks.h"
#include "estimator/losses_metrics.h"

namespace antler::conformance::estimators {
namespace {

/// Shapes as lists, unknown dimensions as null.
Json shapes_of(const Nest& specs) {
  if (specs.is_none()) return nullptr;
  if (specs.is_tensor()) {
    Json shape = Json::array();
    for (int i = 0; i < specs.shape().rank(); ++i) {
      const int64_t size = specs.shape()[i];
      shape.push_back(size < 0 ? Json(nullptr) : Json(size));
    }
    return shape;
  }
  Json shapes = specs.is_dict() ? Json::object() : Json::array();
  for (const auto& [key, value] : specs.items()) {
    if (specs.is_dict()) {
      shapes[key] = shapes_of(value);
    } else {
      shapes.push_back(shapes_of(value));
    }
  }
  return shapes;
}

void add_inputs(NamedTensors& tensors, const std::string& name, const Nest& values) {
  if (values.is_none()) return;
  if (values.is_tensor()) return tensors.set(name, values.tensor());
  for (const auto& [key, value] : values.items()) add_inputs(tensors, name + "." + key, value);
}

/// Builds the spec of one call of a model_fn.
class SpecBuilder {
 public:
  /// A repeated trace has no hooks.
  SpecBuilder(Scenario& scenario, const Json& model, est::ModeKeys mode, bool is_retrace)
      : scenario_(scenario), model_(model), mode_(mode), has_hooks_(!is_retrace) {}
  est::ModelSpec build(const Nest& features, const Nest& labels, const est::Params& params);

 private:
  void run_graph(const est::Params& params);
  Nest predictions() const;
  est::ExportOutputs export_outputs() const;
  est::EvalMetricOps metrics(const Json& metrics, const NamedTensors& tensors) const;
  est::EvalMetrics eval_metrics() const;
  est::HostCall host_call() const;
  std::shared_ptr<est::Scaffold> scaffold() const;
  est::EstimatorSpec plain_spec(const Tensor& loss, const est::TrainOp& train_op) const;
  est::TPUEstimatorSpec tpu_spec(const Tensor& loss, const est::TrainOp& train_op) const;

  Scenario& scenario_;
  const Json& model_;
  est::ModeKeys mode_;
  bool has_hooks_;
  NamedTensors tensors_;
};

void SpecBuilder::run_graph(const est::Params& params) {
  const Tensor step = est::get_global_step();
  tensors_.set("global_step", step);
  tensors_.set("global_step_vector", ops::reshape(step, {1}));
  if (params.contains("scale")) tensors_.set("params.scale", Tensor(params.get<double>("scale")));
  const GraphSettings settings{
      .mode = mode_,
      .updates_moving_averages = member(member(model_, "optimizer"), "update_ops") == true};
  for (const Json& op : member(model_, "graph")) run_graph_op(scenario_, op, settings, tensors_);
}

Nest SpecBuilder::predictions() const {
  const Json& predictions = member(model_, "predictions");
  if (predictions.is_null()) return {};
  if (predictions.is_string()) return tensors_.at(predictions.get<std::string>());
  Nest::Items items;
  for (const auto& [key, name] : predictions.items()) {
    items.emplace_back(key, tensors_.at(name.get<std::string>()));
  }
  return Nest::dict(std::move(items));
}

est::ExportOutputs SpecBuilder::export_outputs() const {
  const auto tensor = [&](const Json& output, const char* key) {
    const Json& name = member(output, key);
    return name.is_null() ? Tensor() : tensors_.at(name.get<std::string>());
  };
  est::ExportOutputs outputs;
  for (const auto& [name, output] : member(model_, "export_outputs").items()) {
    const auto kind = output.at("class").template get<std::string>();
    if (kind == "ClassificationOutput") {
      outputs.emplace_back(name, est::ClassificationOutput{.scores = tensor(output, "scores"),
                                                           .classes = tensor(output, "classes")});
    } else if (kind == "RegressionOutput") {
      outputs.emplace_back(name, est::RegressionOutput{.value = tensor(output, "value")});
    } else if (output.at("outputs").is_string()) {
      outputs.emplace_back(name, est::PredictOutput{.outputs = tensor(output, "outputs")});
    } else {
      Nest::Items items;
      for (const auto& [key, value] : output["outputs"].items()) {
        items.emplace_back(key, tensors_.at(value.template get<std::string>()));
      }
      outputs.emplace_back(name, est::PredictOutput{.outputs = Nest::dict(std::move(items))});
    }
  }
  return outputs;
}

est::EvalMetricOps SpecBuilder::metrics(const Json& metrics, const NamedTensors& tensors) const {
  est::EvalMetricOps made;
  for (const auto& [name, metric] : metrics.items()) made.emplace(name, metric_of(metric, tensors));
  return made;
}

est::EvalMetrics SpecBuilder::eval_metrics() const {
  const Json& described = model_.at("eval_metrics");
  const Json& tensors = described.at("tensors");
  std::vector<std::string> parameters;
  Nest::Items items;
  std::vector<Nest> list;
  for (const auto& [key, name] : tensors.items()) {
    const auto text = name.template get<std::string>();
    parameters.push_back(tensors.is_array() ? text : key);
    items.emplace_back(key, tensors_.at(text));
    list.emplace_back(tensors_.at(text));
  }
  return {.metric_fn = {parameters,
                        [&described](const est::HostTensors& arguments) {
                          NamedTensors named;
                          for (const auto& [key, value] : arguments.items()) {
                            named.set(key, value.tensor());
                          }
                          est::EvalMetricOps made;
                          for (const auto& [name, metric] : described.at("metrics").items()) {
                            made.emplace(name, metric_of(metric, named));
                          }
                          return made;
                        }},
          .tensors = tensors.is_array() ? Nest(list) : Nest::dict(std::move(items))};
}

est::HostCall SpecBuilder::host_call() const {
  const Json& call = model_.at("host_call");
  std::vector<std::string> names;
  std::vector<Nest> list;
  for (const auto& [key, name] : call.at("tensors").items()) {
    names.push_back(name.template get<std::string>());
    list.emplace_back(tensors_.at(names.back()));
  }
  const auto writer = std::make_shared<summary::FileWriter>(scenario_.path(call.at("dir")));
  return {.host_fn = {names,
                      [writer, &call](const est::HostTensors& values) {
                        const auto scalar = [&](const Json& name) {
                          return ops::ravel(values.at(name.get<std::string>()).tensor())
                              .to_doubles()
                              .at(0);
                        };
                        const auto step = static_cast<int64_t>(scalar(call.at("step")));
                        for (const Json& summary : call.at("summaries")) {
                          writer->scalar(summary.at("tag").get<std::string>(),
                                         scalar(summary.at("tensor")), step);
                        }
                      }},
          .tensors = list};
}

std::shared_ptr<est::Scaffold> SpecBuilder::scaffold() const {
  const Json& described = member(model_, "scaffold");
  if (described.is_null()) return nullptr;
  auto made = std::make_shared<est::Scaffold>();
  if (const Json& init = member(described, "init_fn"); !init.is_null()) {
    made->init_fn = [&scenario = scenario_, &init](est::Session& session) {
      for (const auto& [name, array] : init.at("assign").items()) {
        session.graph().find(name).assign(scenario.array(array));
      }
      scenario.note({"scaffold", "init_fn", nullptr});
    };
  }
  if (const Json& saver = member(described, "saver"); !saver.is_null()) {
    est::SaverOptions options;
    read_member(saver, "max_to_keep", options.max_to_keep);
    made->saver = est::Saver(options);
  }
  return made;
}

est::EstimatorSpec SpecBuilder::plain_spec(const Tensor& loss, const est::TrainOp& train_op) const {
  est::EstimatorSpec spec{.mode = mode_, .loss = loss, .train_op = train_op};
  if (const Nest made = predictions(); !made.is_none()) spec.predictions = made;
  if (mode_ == est::ModeKeys::eval) {
    spec.eval_metric_ops = metrics(member(model_, "eval_metric_ops"), tensors_);
  }
  if (model_.contains("export_outputs")) spec.export_outputs = export_outputs();
  if (!has_hooks_) return spec;
  spec.training_hooks = hooks_of(scenario_, member(model_, "training_hooks"));
  spec.training_chief_hooks = hooks_of(scenario_, member(model_, "training_chief_hooks"));
  spec.evaluation_hooks = hooks_of(scenario_, member(model_, "evaluation_hooks"));
  spec.prediction_hooks = hooks_of(scenario_, member(model_, "prediction_hooks"));
  spec.scaffold = scaffold();
  return spec;
}

est::TPUEstimatorSpec SpecBuilder::tpu_spec(const Tensor& loss,
                                            const est::TrainOp& train_op) const {
  est::TPUEstimatorSpec spec{.mode = mode_, .loss = loss, .train_op = train_op};
  if (const Nest made = predictions(); !made.is_none()) spec.predictions = made;
  if (mode_ == est::ModeKeys::eval && model_.contains("eval_metrics")) {
    spec.eval_metrics = eval_metrics();
  }
  if (mode_ != est::ModeKeys::predict && model_.contains("host_call")) spec.host_call = host_call();
  if (model_.contains("export_outputs")) spec.export_outputs = export_outputs();
  if (!has_hooks_) return spec;
  if (model_.contains("scaffold")) spec.scaffold_fn = [made = scaffold()] { return made; };
  spec.training_hooks = hooks_of(scenario_, member(model_, "training_hooks"));
  spec.evaluation_hooks = hooks_of(scenario_, member(model_, "evaluation_hooks"));
  spec.prediction_hooks = hooks_of(scenario_, member(model_, "prediction_hooks"));
  return spec;
}

est::ModelSpec SpecBuilder::build(const Nest& features, const Nest& labels,
                                  const est::Params& params) {
  add_inputs(tensors_, "features", features);
  add_inputs(tensors_, "labels", labels);
  run_graph(params);
  Tensor loss;
  est::TrainOp train_op;
  if (mode_ != est::ModeKeys::predict && !member(model_, "loss").is_null()) {
    loss = loss_of(model_["loss"], tensors_);
    tensors_.set("total_loss", loss);
    tensors_.set("loss_vector", ops::reshape(loss, {1}));
  }
  for (const Json& summary : member(model_, "summaries")) {
    est::summary::scalar(summary.at("tag").get<std::string>(),
                         tensors_.at(summary.at("tensor").get<std::string>()));
  }
  if (mode_ == est::ModeKeys::train && !member(model_, "optimizer").is_null()) {
    train_op = train_op_of(model_["optimizer"], loss);
  }
  if (member(model_, "returns") == "none") return std::monostate();
  if (member(model_, "spec") == "TPUEstimatorSpec") return tpu_spec(loss, train_op);
  return plain_spec(loss, train_op);
}

}  // namespace

est::ModelFn model_fn(Scenario& scenario, const std::string& name) {
  const Json& model = scenario.declared("models", name);
  const Json& takes = member(model, "takes");
  const auto has = [&](const char* parameter) {
    return takes.is_null() || std::find(takes.begin(), takes.end(), parameter) != takes.end();
  };
  if (!has("labels")) {
    return [&scenario, &model, name](const est::FeaturesOnlyArgs& args) {
      scenario.note(
          {"model_fn", name,
           Json({{"mode", est::mode_name(args.mode)}, {"features", shapes_of(args.features)}})});
      return SpecBuilder(scenario, model, args.mode, false).build(args.features, {}, args.params);
    };
  }
  return [&scenario, &model, name, mode = has("mode"),
          params = has("params")](const est::ModelFnArgs& args) {
    if (!args.is_retrace) {
      Json seen = Json::object();
      if (mode) seen["mode"] = est::mode_name(args.mode);
      seen["features"] = shapes_of(args.features_spec);
      seen["labels"] = shapes_of(args.labels_spec);
      if (params) seen["params"] = params_json(args.params);
      scenario.note({"model_fn", name, seen});
    }
    return SpecBuilder(scenario, model, args.mode, args.is_retrace)
        .build(args.features, args.labels, args.params);
  };
}

}  // namespace antler::conformance::estimators
