#include "antler/saving/legacy_h5.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/saving/weights_h5.h"
#include "saving/match.h"

namespace antler::saving {
namespace {

/// Where the weights are: a file of weights alone has them at its root.
std::string weights_group(const io::Hdf5Reader& file) {
  return file.is_group("model_weights") ? "model_weights" : "";
}

std::string below(const std::string& group, const std::string& name) {
  return group.empty() ? name : group + "/" + name;
}

Tensors arrays_of(const io::Hdf5Reader& file, const std::string& group) {
  Tensors arrays;
  for (const std::string& name :
       file.text_list_attribute(group, "weight_names").value_or(std::vector<std::string>())) {
    arrays.push_back(file.read(below(group, name)));
  }
  return arrays;
}

/// Trainable weights first, as these files have them, also of a model inside of the model.
Variables legacy_weights(const Layer& layer) {
  Variables weights = layer.weights();
  std::stable_partition(weights.begin(), weights.end(),
                        [](const Variable& v) { return v.trainable(); });
  return weights;
}

Json parse_attribute(const io::Hdf5Reader& file, const char* name) {
  const auto text = file.text_attribute("", name);
  if (!text) return nullptr;
  Json json = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw IOError(std::string("The attribute '") + name + "' is no JSON.");
  return json;
}

}  // namespace

bool is_legacy_weights(const io::Hdf5Reader& file) {
  return file.text_list_attribute(weights_group(file), "layer_names").has_value();
}

void read_legacy_weights(const io::Hdf5Reader& file, const std::vector<LayerPtr>& layers) {
  const ir::TraceSuspension suspension;
  const std::string root = weights_group(file);
  const auto names = file.text_list_attribute(root, "layer_names");
  if (!names) throw ValueError("The file has no weights: there is no attribute `layer_names`.");
  std::vector<std::string> stored;
  for (const std::string& name : *names) {
    const auto weights = file.text_list_attribute(below(root, name), "weight_names");
    if (weights && !weights->empty()) stored.push_back(name);
  }
  std::vector<LayerPtr> targets = layers;
  std::erase_if(targets, [](const LayerPtr& layer) { return layer->weights().empty(); });
  if (stored.size() != targets.size()) {
    throw ValueError("Layer count mismatch when loading weights from file. Model expected " +
                     std::to_string(targets.size()) + " layers, found " +
                     std::to_string(stored.size()) + " saved layers.");
  }
  Changes changes;
  for (size_t i = 0; i < targets.size(); ++i) {
    const Changes fitting = match("Layer '" + targets[i]->name() + "'", legacy_weights(*targets[i]),
                                  arrays_of(file, below(root, stored[i])));
    changes.insert(changes.end(), fitting.begin(), fitting.end());
  }
  store(changes);
}

Json legacy_model_config(const io::Hdf5Reader& file) {
  Json object = parse_attribute(file, "model_config");
  if (!object.is_object()) {
    throw ValueError(
        "No model config found in the file: it holds weights alone. Make the model, "
        "then use load_weights().");
  }
  if (Json training = parse_attribute(file, "training_config"); training.is_object()) {
    object["training_config"] = std::move(training);
  }
  return with_compile_config(std::move(object));
}

Json with_compile_config(Json object) {
  const auto found = object.find("training_config");
  if (found == object.end()) return object;
  const Json training = *found;
  object.erase(found);
  Json compiled = Json::object();
  for (const char* key : {"loss", "metrics", "weighted_metrics", "loss_weights"}) {
    compiled[key] = training.value(key, Json(nullptr));
  }
  Json optimizer = training.value("optimizer_config", Json(nullptr));
  if (optimizer.is_object() && optimizer.contains("class_name")) {
    // Keras 2 wrote its new optimizers as "Custom>Adam".
    const std::string name = optimizer["class_name"].get<std::string>();
    optimizer["class_name"] = name.substr(name.find('>') + 1);
  }
  compiled["optimizer"] = std::move(optimizer);
  object["compile_config"] = std::move(compiled);
  return object;
}

void read_legacy_optimizer(const io::Hdf5Reader& file, Optimizer& optimizer) {
  if (file.is_group("optimizer_weights")) {
    load_optimizer_state(optimizer, arrays_of(file, "optimizer_weights"));
  }
}

}  // namespace antler::saving
