#include "compile_model.h"

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/registry.h"
#include "object_spec.h"

namespace antler::cli {
namespace {

/// Of `layers` and what is inside of them; whether there was one.
bool set_trainable(const std::vector<LayerPtr>& layers, const std::string& name, bool trainable) {
  bool found = false;
  for (const LayerPtr& layer : layers) {
    const bool is_it = layer->name() == name;
    if (is_it) layer->set_trainable(trainable);
    found = is_it || set_trainable(layer->sublayers(), name, trainable) || found;
  }
  return found;
}

void set_trainable(Model& model, const std::vector<std::string>& names, bool trainable) {
  for (const std::string& name : names) {
    if (name == "all") {
      model.set_trainable(trainable);
    } else if (!set_trainable(model.sublayers(), name, trainable)) {
      throw ValueError("The model has no layer '" + name + "'; antler summary names them.");
    }
  }
}

}  // namespace

void set_trainable_layers(Model& model, const CompileSettings& said) {
  set_trainable(model, said.freeze, false);
  set_trainable(model, said.unfreeze, true);
}

void compile_model(Model& model, const CompileSettings& said, const LoadedData& data) {
  const bool says_nothing = said.loss.empty() && said.optimizer.empty() && said.metrics.empty() &&
                            said.freeze.empty() && said.unfreeze.empty();
  if (model.compiled()) {
    if (says_nothing) return;
    Json config = model.get_compile_config();
    if (!said.loss.empty()) config["loss"] = losses::serialize(make_loss(said.loss));
    if (!said.optimizer.empty()) {
      config["optimizer"] = optimizers::serialize(*make_optimizer(said.optimizer));
    }
    if (!said.metrics.empty()) config["metrics"] = said.metrics;
    model.compile_from_config(config);
    return;
  }
  if (said.loss.empty()) {
    const bool classes = !data.samples.y.defined() || data.samples.y.dtype() != DType::float32;
    throw ValueError(std::string("The model is not compiled: name a loss, for example --loss ") +
                     (classes ? "sparse_categorical_crossentropy" : "mse") + ".");
  }
  CompileArguments arguments;
  arguments.optimizer = make_optimizer(said.optimizer.empty() ? "adam" : said.optimizer);
  arguments.loss = make_loss(said.loss);
  const std::vector<MetricSpec> metrics(said.metrics.begin(), said.metrics.end());
  if (!metrics.empty()) arguments.metrics = metrics;
  model.compile(arguments);
}

}  // namespace antler::cli
