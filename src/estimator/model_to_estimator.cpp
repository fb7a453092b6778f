#include "antler/estimator/model_to_estimator.h"

#include <algorithm>
#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/estimator/graph.h"
#include "antler/ir/tracer.h"
#include "antler/training/clone_model.h"
#include "antler/training/saving.h"
#include "estimator/graph_state.h"

namespace antler::estimator {
namespace {

/// The parts of a compiled model.
struct KerasParts {
  Model model;
  Json compile_config;
  Tensors weights;
  std::map<std::string, std::string> metric_names;
};

/// A copy of the model whose variables belong to the current graph.
Model copy_into_graph(const KerasParts& parts, bool is_retrace) {
  Model copy = clone_model(parts.model);
  const Variables variables = copy.variables();
  for (size_t i = 0; i < variables.size() && !is_retrace; ++i) variables[i].store(parts.weights[i]);
  copy.compile_from_config(parts.compile_config);
  return copy;
}

Nest named_outputs(const Model& model, const Nest& outputs) {
  const std::vector<std::string> names = model.output_names();
  const Tensors leaves = outputs.flatten();
  Nest::Items items;
  for (size_t i = 0; i < leaves.size(); ++i) items.emplace_back(names.at(i), leaves[i]);
  return Nest::dict(std::move(items));
}

EvalMetricOps metrics_of(const Model& model, std::map<std::string, std::string> names) {
  EvalMetricOps metrics;
  const ir::Tracer& tracer = *ir::Tracer::current();
  for (const MetricPtr& metric : model.metrics()) {
    const Variables variables = metric->variables();
    make_local(*Graph::current().state(), variables);  // metric totals are not saved
    const bool updated = std::ranges::any_of(
        variables, [&](const Variable& variable) { return tracer.has_assigned(variable); });
    if (!updated || metric->name() == "loss") continue;
    const auto renamed = names.find(metric->name());
    metrics.emplace(renamed == names.end() ? metric->name() : renamed->second, metric);
    if (renamed != names.end()) names.erase(renamed);
  }
  if (!names.empty()) {
    throw ValueError("metric_names_map: `{}` is not the name of a metric.", names.begin()->first);
  }
  return metrics;
}

TrainOp update(Model& model, const Tensor& loss) {
  const Variables variables = model.trainable_variables();
  model.optimizer().apply(gradients(loss, variables), variables);
  get_global_step().assign_add(Tensor::full(DType::int64, {}, 1));
  return TrainOp::made();
}

EstimatorSpec keras_spec(const KerasParts& parts, const ModelFnArgs& args) {
  Model model = copy_into_graph(parts, args.is_retrace);
  const bool training = args.mode == ModeKeys::train;
  const Nest outputs = model(args.features, {.training = training});
  EstimatorSpec spec{.mode = args.mode, .predictions = named_outputs(model, outputs)};
  if (args.mode == ModeKeys::predict) return spec;
  spec.loss = model.compute_loss(args.features, args.labels, outputs);
  model.compute_metrics(args.features, args.labels, outputs);
  EvalMetricOps metrics = metrics_of(model, parts.metric_names);
  if (training) {
    spec.train_op = update(model, spec.loss);
  } else {
    spec.eval_metric_ops = std::move(metrics);
  }
  return spec;
}

}  // namespace

Estimator model_to_estimator(const ModelToEstimatorOptions& options) {
  if (options.keras_model.has_value() == options.keras_model_path.has_value()) {
    throw ValueError(
        "Either `keras_model` or `keras_model_path` needs to be provided, and not both.");
  }
  auto parts = std::make_shared<KerasParts>(KerasParts{
      .model = options.keras_model ? *options.keras_model : load_model(*options.keras_model_path),
      .compile_config = {},
      .weights = {},
      .metric_names = options.metric_names_map});
  if (!parts->model.compiled() || !parts->model.has_optimizer()) {
    throw ValueError(
        "The given keras model has not been compiled yet. Please compile the model with "
        "`model.compile()` before calling `model_to_estimator()`.");
  }
  if (parts->model.output_names().empty()) {
    throw ValueError(
        "model_to_estimator: model `{}` is neither functional nor sequential, or not built.",
        parts->model.name());
  }
  parts->compile_config = parts->model.get_compile_config();
  for (const Variable& variable : parts->model.variables())
    parts->weights.push_back(variable.stored());
  return Estimator([parts](const ModelFnArgs& args) { return keras_spec(*parts, args); },
                   {.model_dir = options.model_dir, .config = options.config});
}

}  // namespace antler::estimator
