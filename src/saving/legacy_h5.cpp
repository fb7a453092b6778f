#include "antler/saving/legacy_h5.h"

#include <algorithm>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/saving/weights_h5.h"
#include "saving/match.h"
#include "saving/object_tree.h"

namespace antler::saving {
namespace {

/// The version of Keras that writes these files.
constexpr const char* kKerasVersion = "3.15.1";
constexpr const char* kVersionKey = "keras_version";

/// The group that contains the weights; in a weights-only file, it is the root.
std::string weights_group(const io::Hdf5Reader& file) {
  return file.is_group("model_weights") ? "model_weights" : "";
}

Tensors arrays_of(const io::Hdf5Reader& file, const std::string& group) {
  Tensors arrays;
  for (const std::string& name :
       file.string_list_attribute(group, "weight_names").value_or(std::vector<std::string>())) {
    arrays.push_back(file.read(join_path(group, name)));
  }
  return arrays;
}

/// Trainable weights first, as in these files; this also holds for nested models.
Variables legacy_weights(const Layer& layer) {
  Variables weights = layer.weights();
  std::stable_partition(weights.begin(), weights.end(),
                        [](const Variable& v) { return v.trainable(); });
  return weights;
}

/// Writes arrays under the paths of their variables. As in TensorFlow the names end in ":0", so
/// that no array has the name of a group.
void write_variables(io::Hdf5Writer& file, const std::string& group, const Variables& variables) {
  file.group(group);
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const Variable& v : variables) {
    const std::string path = v.path().empty() ? v.name() : v.path();
    std::string name = path;
    for (int repeat = 1; !taken.insert(name).second; ++repeat) {
      name = format("{}_{}", path, repeat);
    }
    names.push_back(name + ":0");
    file.write(join_path(group, names.back()), v.stored());
  }
  file.string_list_attribute(group, "weight_names", names);
}

/// Keras 3 does not accept the short names of losses in these files.
Json long_names(const Json& loss) {
  static constexpr std::pair<const char*, const char*> kNames[] = {
      {"mse", "mean_squared_error"},
      {"mae", "mean_absolute_error"},
      {"mape", "mean_absolute_percentage_error"},
      {"msle", "mean_squared_logarithmic_error"},
      {"kld", "kl_divergence"},
      {"bce", "binary_crossentropy"}};
  if (loss.is_string()) {
    for (const auto& [given, name] : kNames) {
      if (loss == given) return name;
    }
    return loss;
  }
  const bool structure = loss.is_array() || (loss.is_object() && !loss.contains("class_name"));
  Json result = loss;
  if (structure) {
    for (auto& item : result) item = long_names(item);
  }
  return result;
}

void write_origin(io::Hdf5Writer& file, const std::string& group, const std::string& version) {
  file.string_attribute(group, "backend", "tensorflow");
  file.string_attribute(group, kVersionKey, version);
}

Json parse_attribute(const io::Hdf5Reader& file, const char* name) {
  const auto text = file.string_attribute("", name);
  if (!text) return nullptr;
  Json json = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw IOError("The attribute '{}' is not valid JSON.", name);
  return json;
}

}  // namespace

bool is_legacy_weights(const io::Hdf5Reader& file) {
  return file.string_list_attribute(weights_group(file), "layer_names").has_value();
}

void read_legacy_weights(const io::Hdf5Reader& file, const std::vector<LayerPtr>& layers,
                         const LegacyLoadOptions& options) {
  const ir::TraceSuspension suspension;
  const std::string root = weights_group(file);
  const auto names = file.string_list_attribute(root, "layer_names");
  if (!names) throw ValueError("The file has no weights: the attribute `layer_names` is missing.");
  std::vector<std::string> stored;
  for (const std::string& name : *names) {
    const auto weights = file.string_list_attribute(join_path(root, name), "weight_names");
    if (weights && !weights->empty()) stored.push_back(name);
  }
  Changes changes;
  const auto take = [&](const LayerPtr& target, const std::string& name) {
    const Variables own = legacy_weights(*target);
    const Tensors arrays = arrays_of(file, join_path(root, name));
    const std::string what = format("Layer '{}'", target->name());
    const Changes fitting =
        options.skip_mismatch ? match_some(what, own, arrays) : match(what, own, arrays);
    changes.insert(changes.end(), fitting.begin(), fitting.end());
  };
  if (options.by_name) {
    for (const LayerPtr& layer : layers) {
      if (std::find(stored.begin(), stored.end(), layer->name()) != stored.end()) {
        take(layer, layer->name());
      }
    }
    return store(changes);
  }
  std::vector<LayerPtr> targets = layers;
  std::erase_if(targets, [](const LayerPtr& layer) { return layer->weights().empty(); });
  if (stored.size() != targets.size()) {
    throw ValueError(
        "Layer count mismatch when loading weights from file. Model expected {} layers, found {} "
        "saved layers.",
        targets.size(), stored.size());
  }
  for (size_t i = 0; i < targets.size(); ++i) take(targets[i], stored[i]);
  store(changes);
}

void write_legacy_weights(io::Hdf5Writer& file, const std::vector<LayerPtr>& layers,
                          const std::string& group) {
  file.group(group);
  std::vector<std::string> names;
  names.reserve(layers.size());
  for (const LayerPtr& layer : layers) names.push_back(layer->name());
  file.string_list_attribute(group, "layer_names", names);
  write_origin(file, group, kKerasVersion);
  for (const LayerPtr& layer : layers) {
    write_variables(file, join_path(group, layer->name()), legacy_weights(*layer));
  }
  // Keras expects this group, for weights of the model itself.
  write_variables(file, join_path(group, "top_level_model_weights"), {});
}

void write_legacy_model(io::Hdf5Writer& file, const Json& object, const Json& compile_config,
                        const std::vector<LayerPtr>& layers, const Optimizer* optimizer) {
  write_origin(file, "", object.value(kVersionKey, kKerasVersion));
  Json model = object;
  model.erase(kVersionKey);
  file.string_attribute("", "model_config", model.dump());
  if (compile_config.is_object()) {
    Json training = compile_config;
    training.erase("optimizer");
    training["loss"] = long_names(compile_config.value("loss", Json(nullptr)));
    training["optimizer_config"] = compile_config.value("optimizer", Json(nullptr));
    file.string_attribute("", "training_config", training.dump());
  }
  write_legacy_weights(file, layers, "model_weights");
  if (optimizer != nullptr && optimizer->built()) {
    write_variables(file, "optimizer_weights", optimizer->variables());
  }
}

Json legacy_model_config(const io::Hdf5Reader& file) {
  Json object = parse_attribute(file, "model_config");
  if (!object.is_object()) {
    throw ValueError(
        "No model config found in the file: it holds only weights. Create the model, then call "
        "load_weights().");
  }
  if (Json training = parse_attribute(file, "training_config"); training.is_object()) {
    object["training_config"] = std::move(training);
  }
  // Keras 1 did not write its version.
  object[kVersionKey] = file.string_attribute("", kVersionKey).value_or("1");
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
    // Keras 2 wrote some optimizers as "Custom>Adam".
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
