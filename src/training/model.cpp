#include "antler/training/model.h"

#include <algorithm>
#include <typeinfo>
#include <utility>

#include "antler/base/error.h"
#include "antler/core/variable_origin.h"
#include "antler/nn/layers/input.h"
#include "antler/nn/quantize.h"
#include "antler/runtime/config.h"
#include "base/did_you_mean.h"
#include "training/model_state.h"
#include "training/structure.h"

namespace antler {
namespace {

Shape shape_of_only(const Tensors& tensors, const char* kind) {
  if (tensors.size() == 1) return tensors[0].shape();
  throw ValueError("{}_shape() needs a functional model of one {}. Received: {}.", kind, kind,
                   tensors.empty() ? "a subclassed model" : Nest(tensors).structure());
}

}  // namespace

Model::Model(const std::string& class_name, const LayerOptions& options)
    : Layer(class_name, options), model_(std::make_shared<ModelState>()) {
  initialize_runtime();
  if (const VariableOrigin& origin = current_variable_origin()) origin->model_created();
}

Model::Model(const LayerOptions& options) : Model("Model", options) {}

Model::Model(const Nest& inputs, const Nest& outputs, const LayerOptions& options)
    : Model("Functional", {.name = options.name == "" ? std::nullopt : options.name,
                           .dtype = options.dtype,
                           .activity_regularizer = options.activity_regularizer}) {
  set_graph(inputs, outputs);
  if (!options.trainable) set_trainable(false);
}

Model::Model(const FunctionalOptions& options)
    : Model(options.inputs, options.outputs,
            LayerOptions{.name = options.name, .trainable = options.trainable}) {}

std::unique_ptr<Layer> Model::clone_handle() const {
  // A subclass must define how it is copied (LayerBase<MyModel, Model>) to be part of a model.
  if (typeid(*this) != typeid(Model)) return nullptr;
  return std::make_unique<Model>(*this);
}

void Model::set_graph(const Nest& inputs, const Nest& outputs) {
  model_->compiled_call.reset();
  model_->graph = std::make_unique<FunctionalGraph>(inputs, outputs);
  model_->input_names.clear();
  model_->output_names.clear();
  for (const Tensor& t : model_->graph->inputs().flatten()) {
    model_->input_names.push_back(placeholder_source(t).node->layer->name());
  }
  // Targets and losses refer to the outputs of a dictionary by its keys.
  const Nest& graph_outputs = model_->graph->outputs();
  if (graph_outputs.is_dict()) model_->output_names = training::pseudo_output_names(graph_outputs);
  for (const Tensor& t : graph_outputs.is_dict() ? Tensors() : graph_outputs.flatten()) {
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
  model_->compiled_call = std::make_unique<training::CompiledCall>(*model_->graph);
}

// Declared so that a subclass which overrides only this `call` does not hide an overload
// (-Woverloaded-virtual).
Tensor Model::call(const Tensor& input) { return Layer::call(input); }

Tensor Model::call(const Tensor& input, const CallOptions& options) {
  if (model_->graph != nullptr) {
    const Nest outputs = Model::call(Nest(input), options);
    if (outputs.is_tensor()) return outputs.tensor();
    throw TypeError(
        "Model `{}` has several outputs. Call it with a Nest, which returns all of them: `const "
        "Nest outputs = model(Nest(x));`",
        name());
  }
  return Layer::call(input, options);
}

Nest Model::call(const Nest& inputs) {
  if (model_->graph != nullptr) return Model::call(inputs, CallOptions());
  if (!inputs.is_tensor()) return Layer::call(inputs);
  throw NotImplementedError(
      "Model `{}` is subclassed but does not override `call`. Override `Tensor call(const "
      "Tensor&)`, or `Tensor call(const Tensor&, bool training)`, or create it from inputs and "
      "outputs.",
      name());
}

Nest Model::call(const Nest& inputs, const CallOptions& options) {
  if (model_->graph == nullptr) return Layer::call(inputs, options);
  if (model_->compiled_call != nullptr && !model_->run_eagerly.value_or(false)) {
    if (auto outputs = model_->compiled_call->run(inputs, options)) return *outputs;
  }
  return model_->graph->run(inputs, options);
}

void Model::quantize(const std::string& mode) { quantize(mode, QuantizeOptions()); }

void Model::quantize(const std::string& mode, const QuantizeOptions& options) {
  quantize(QuantizationConfig(mode), options);
}

void Model::quantize(const QuantizationConfig& config, const QuantizeOptions& options) {
  antler::quantize(*this, config, options);
  model_->drop_functions();
  if (model_->graph != nullptr)
    model_->compiled_call = std::make_unique<training::CompiledCall>(*model_->graph);
}

void Model::build(const InputShapes& shapes) {
  if (shapes.items().empty()) {
    throw ValueError(
        "Model `{}`: `build` needs an input shape, or a list or dictionary of shapes. Received "
        "none.",
        name());
  }
  if (built()) return;
  std::vector<Nest> leaves;
  Nest::Items named;
  for (const auto& [key, shape] : shapes.items()) {
    if (shape.empty()) {
      throw ValueError(
          "Model `{}`: an input shape must have at least the batch dimension. Received: ().",
          name());
    }
    const Tensor leaf = Input(Shape(shape.begin() + 1, shape.end()));
    leaves.emplace_back(leaf);
    named.emplace_back(key, leaf);
  }
  const Nest::Kind kind = shapes.kind();
  try {
    compute_output_spec(kind == Nest::Kind::tensor ? leaves[0]
                        : kind == Nest::Kind::dict ? Nest::dict(std::move(named))
                                                   : Nest(leaves));
  } catch (const Error& error) {
    throw ValueError(
        "Model `{}` cannot be built from shapes alone: its `call` failed on floating-point inputs "
        "of these shapes. Call the model on a batch of data instead. The error was: {}",
        name(), error.what());
  }
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
      throw ValueError("Was asked to retrieve layer at index {} but model only has {} layers.",
                       *index, all.size());
    }
    return all[static_cast<size_t>(*index)];
  }
  std::vector<std::string> names;
  for (const LayerPtr& layer : all) {
    if (layer->name() == *name) return layer;
    names.push_back(layer->name());
  }
  throw ValueError("No such layer: {}.{} Existing layers are: [{}].", *name,
                   did_you_mean(*name, names), training::quoted(names));
}

Tensors Model::inputs() const {
  return model_->graph == nullptr ? Tensors() : model_->graph->inputs().flatten();
}
Tensors Model::outputs() const {
  return model_->graph == nullptr ? Tensors() : model_->graph->outputs().flatten();
}
Nest Model::input() const {
  return model_->graph == nullptr ? Layer::input() : model_->graph->inputs().unpack_singleton();
}
Nest Model::output() const {
  return model_->graph == nullptr ? Layer::output() : model_->graph->outputs().unpack_singleton();
}
Shape Model::input_shape() const { return shape_of_only(inputs(), "input"); }
Shape Model::output_shape() const { return shape_of_only(outputs(), "output"); }
std::vector<std::string> Model::input_names() const { return model_->input_names; }
std::vector<std::string> Model::output_names() const { return model_->output_names; }

}  // namespace antler
