#include "antler/training/model.h"

#include <algorithm>
#include <typeinfo>
#include <utility>

#include "antler/base/error.h"
#include "antler/runtime/config.h"
#include "training/model_state.h"

namespace antler {

Model::Model(std::string class_name, const LayerOptions& options)
    : Layer(std::move(class_name), options), model_(std::make_shared<ModelState>()) {
  initialize_runtime();
}

Model::Model(const LayerOptions& options) : Model("Model", options) {}

Model::Model(const Nest& inputs, const Nest& outputs, const std::string& name)
    : Model("Functional", {.name = name.empty() ? std::nullopt : std::optional(name)}) {
  set_graph(inputs, outputs);
}

LayerPtr Model::clone_handle() const {
  // A subclass must say how it is copied (LayerBase<MyModel, Model>) before it can be part of
  // another model.
  if (typeid(*this) != typeid(Model)) return nullptr;
  return std::make_shared<Model>(*this);
}

void Model::set_graph(const Nest& inputs, const Nest& outputs) {
  model_->graph = std::make_unique<FunctionalGraph>(inputs, outputs);
  model_->input_names.clear();
  model_->output_names.clear();
  for (const Tensor& t : model_->graph->inputs().flatten()) {
    model_->input_names.push_back(placeholder_source(t).node->layer->name());
  }
  for (const Tensor& t : model_->graph->outputs().flatten()) {
    const std::string base = placeholder_source(t).node->layer->name();
    std::string name = base;
    for (int k = 1; std::count(model_->output_names.begin(), model_->output_names.end(), name) > 0;
         ++k) {
      name = base + "_" + std::to_string(k);
    }
    model_->output_names.push_back(name);
  }
  for (const LayerPtr& layer : model_->graph->operations()) track_layer(layer->name(), layer);
  std::vector<Shape> shapes;
  for (const Tensor& t : inputs.flatten()) shapes.push_back(t.shape());
  ensure_built(shapes);
}

Tensor Model::call(const Tensor& input, const CallOptions& options) {
  if (model_->graph != nullptr) return model_->graph->run(input, options).tensor();
  throw NotImplementedError(
      "Model `" + name() +
      "` is subclassed but does not override `call`. Override "
      "`Tensor call(const Tensor&, const CallOptions&)` or make it from inputs and outputs.");
}

Nest Model::call(const Nest& inputs, const CallOptions& options) {
  return model_->graph != nullptr ? model_->graph->run(inputs, options)
                                  : Layer::call(inputs, options);
}

void Model::compile(const CompileArguments& arguments) {
  if (arguments.run_eagerly.value_or(false) && arguments.jit_compile.value_or(false)) {
    throw ValueError("You cannot enable `run_eagerly` and `jit_compile` at the same time.");
  }
  OptimizerPtr optimizer = arguments.optimizer.given() ? arguments.optimizer.resolve() : nullptr;
  auto metrics =
      std::make_unique<training::CompiledMetrics>(arguments.metrics, arguments.weighted_metrics);
  metrics->check_unique();
  model_->arguments = arguments;
  model_->optimizer = std::move(optimizer);
  model_->loss = std::make_unique<training::CompiledLoss>(arguments.loss, arguments.loss_weights);
  model_->metrics = std::move(metrics);
  model_->run_eagerly = arguments.run_eagerly;
  const int64_t steps = arguments.steps_per_execution.value_or(1);
  model_->steps_per_execution = steps == 0 ? 1 : steps;
  model_->drop_functions();
  model_->compiled = true;
}

bool Model::compiled() const { return model_->compiled; }

void Model::require_compiled(const char* what) const {
  if (!model_->compiled) {
    throw RuntimeError(std::string("You must compile your model before training/testing. Call "
                                   "`model.compile()` before `") +
                       what + "`.");
  }
}

Optimizer& Model::optimizer() const {
  if (model_->optimizer == nullptr) {
    throw RuntimeError("Model `" + name() + "` has no optimizer: call `compile` with one first.");
  }
  return *model_->optimizer;
}

void Model::set_steps_per_execution(int64_t n) { model_->steps_per_execution = n; }
int64_t Model::steps_per_execution() const { return model_->steps_per_execution; }
void Model::set_stop_training(bool stop) { model_->stop_training = stop; }
bool Model::stop_training() const { return model_->stop_training; }
bool Model::run_eagerly() const {
  return model_->run_eagerly.value_or(config::run_functions_eagerly());
}

void Model::set_run_eagerly(bool on) {
  if (run_eagerly() != on) model_->drop_functions();
  model_->run_eagerly = on;
}

std::vector<MetricPtr> Model::metrics() const {
  std::vector<MetricPtr> all;
  if (model_->loss != nullptr) all = model_->loss->trackers();
  if (model_->metrics != nullptr)
    all.insert(all.end(), model_->metrics->all().begin(), model_->metrics->all().end());
  all.insert(all.end(), model_->tracked_metrics.begin(), model_->tracked_metrics.end());
  return all;
}

std::vector<std::string> Model::metrics_names() const {
  std::vector<std::string> names;
  for (const MetricPtr& metric : metrics()) names.push_back(metric->name());
  return names;
}

void Model::add_metric(MetricPtr metric) { model_->tracked_metrics.push_back(std::move(metric)); }

void Model::reset_metrics() {
  for (const MetricPtr& metric : metrics()) metric->reset_state();
}

History& Model::history() const { return model_->history; }

std::vector<LayerPtr> Model::layers() const {
  if (model_->graph == nullptr) return sublayers();
  std::vector<LayerPtr> all = model_->graph->layers();
  if (class_name() == "Sequential")
    std::erase_if(all, [](const LayerPtr& l) { return l->class_name() == "InputLayer"; });
  return all;
}

LayerPtr Model::get_layer(const std::optional<std::string>& name,
                          std::optional<int64_t> index) const {
  const std::vector<LayerPtr> all = layers();
  if (name.has_value() == index.has_value()) {
    throw ValueError(
        "Provide either a layer name or a layer index at `get_layer`, not both and not neither.");
  }
  if (index.has_value()) {
    if (*index < 0 || *index >= static_cast<int64_t>(all.size())) {
      throw ValueError("Was asked to retrieve layer at index " + std::to_string(*index) +
                       " but model only has " + std::to_string(all.size()) + " layers.");
    }
    return all[static_cast<size_t>(*index)];
  }
  std::string known;
  for (const LayerPtr& layer : all) {
    if (layer->name() == *name) return layer;
    known += (known.empty() ? "'" : ", '") + layer->name() + "'";
  }
  throw ValueError("No such layer: " + *name + ". Existing layers are: [" + known + "].");
}

std::vector<std::string> Model::input_names() const { return model_->input_names; }
std::vector<std::string> Model::output_names() const { return model_->output_names; }

}  // namespace antler
