#include "models/compile_model.h"

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/registry.h"
#include "models/object_spec.h"

namespace antler::cli {
namespace {

/// Sets `trainable` of the layers of this name, nested ones included. Returns whether there are
/// any.
bool set_trainable(const std::vector<LayerPtr>& layers, const std::string& name, bool trainable) {
  bool found = false;
  for (const LayerPtr& layer : layers) {
    const bool matches = layer->name() == name;
    if (matches) layer->set_trainable(trainable);
    found = matches || set_trainable(layer->sublayers(), name, trainable) || found;
  }
  return found;
}

void set_trainable(Model& model, const std::vector<std::string>& names, bool trainable) {
  for (const std::string& name : names) {
    if (name == "all") {
      model.set_trainable(trainable);
    } else if (!set_trainable(model.sublayers(), name, trainable)) {
      throw ValueError("The model has no layer '{}'. `antler summary` lists the layers.", name);
    }
  }
}

}  // namespace

void set_trainable_layers(Model& model, const CompileSettings& settings) {
  set_trainable(model, settings.freeze, false);
  set_trainable(model, settings.unfreeze, true);
}

namespace {

/// Compiles with the arguments in the file, overridden by the settings.
void compile_loss_and_optimizer(Model& model, const CompileSettings& settings,
                                const LoadedData& data) {
  const bool no_settings = settings.loss.empty() && settings.optimizer.empty() &&
                           settings.metrics.empty() && settings.freeze.empty() &&
                           settings.unfreeze.empty();
  if (model.compiled()) {
    if (no_settings) return;
    Json config = model.get_compile_config();
    if (!settings.loss.empty()) config["loss"] = losses::serialize(make_loss(settings.loss));
    if (!settings.optimizer.empty()) {
      config["optimizer"] = optimizers::serialize(*make_optimizer(settings.optimizer));
    }
    if (!settings.metrics.empty()) config["metrics"] = settings.metrics;
    model.compile_from_config(config);
    return;
  }
  if (settings.loss.empty()) {
    const bool classes = !data.samples.y.defined() || data.samples.y.dtype() != DType::float32;
    throw ValueError("The model is not compiled: give a loss, for example --loss {}.",
                     classes ? "sparse_categorical_crossentropy" : "mse");
  }
  CompileArguments arguments;
  arguments.optimizer = make_optimizer(settings.optimizer.empty() ? "adam" : settings.optimizer);
  arguments.loss = make_loss(settings.loss);
  const std::vector<MetricSpec> metrics(settings.metrics.begin(), settings.metrics.end());
  if (!metrics.empty()) arguments.metrics = metrics;
  model.compile(arguments);
}

}  // namespace

void compile_model(Model& model, const CompileSettings& settings, const LoadedData& data) {
  compile_loss_and_optimizer(model, settings, data);
  if (settings.learning_rate) model.optimizer().set_learning_rate(*settings.learning_rate);
}

}  // namespace antler::cli
