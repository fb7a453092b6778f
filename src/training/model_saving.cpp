#include <filesystem>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/logging.h"
#include "antler/nn/layers/input.h"
#include "antler/nn/registry.h"
#include "antler/saving/legacy_h5.h"
#include "antler/saving/tfsm_layer.h"
#include "antler/training/saving.h"
#include "saving/assets.h"
#include "training/keras2_config.h"
#include "training/model_config.h"
#include "training/model_state.h"
#include "training/model_store.h"
#include "training/saved_model_config.h"

namespace antler {
namespace {

namespace fs = std::filesystem;

/// Throws Keras's error if the file cannot be opened.
training::ModelStore open_store(const std::string& path) {
  std::string reason;
  try {
    if (fs::exists(path)) return training::ModelStore(path);
  } catch (const IOError& error) {
    reason = std::string(" ") + error.what();
  }
  throw ValueError(
      "File not found: filepath={}. Please ensure the file is an accessible `.keras` zip file.{}",
      path, reason);
}

/// Loads a model from Keras's older HDF5 layout.
LayerPtr load_legacy_model(const std::string& path, const LoadModelOptions& options) {
  if (!fs::exists(path)) throw NotFoundError("File not found: filepath={}.", path);
  training::register_model_classes();
  const CustomObjectScope scope(options.custom_objects);
  const io::Hdf5Reader file = io::Hdf5Reader::open(path);
  const Json object = training::from_keras2(saving::legacy_model_config(file));
  LayerPtr layer = deserialize_layer(object);
  auto* model = dynamic_cast<Model*>(layer.get());
  if (model == nullptr) throw TypeError("'{}' does not contain a model.", path);
  saving::read_legacy_weights(file, model->layers());
  if (options.compile && object.contains("compile_config")) {
    model->compile_from_config(object["compile_config"]);
    if (model->has_optimizer()) {
      Optimizer& optimizer = model->optimizer();
      if (!optimizer.built()) optimizer.build(model->trainable_variables());
      saving::read_legacy_optimizer(file, optimizer);
    }
  }
  return layer;
}

/// Loads a SavedModel without a Keras architecture: its graph becomes the only layer of a model.
LayerPtr load_saved_graph(const std::string& path) {
  const TFSMLayer layer(path, {.call_endpoint = saved_model_endpoint(path)});
  Tensors inputs;
  for (const TFSMLayer::Argument& argument : layer.arguments()) {
    std::vector<int64_t> sizes = argument.shape.dims();
    if (sizes.empty()) {
      throw ValueError(
          "The input '{}' of the SavedModel '{}' has an unknown rank. Use a TFSMLayer in a custom "
          "model instead.",
          argument.name, path);
    }
    const int64_t batch = sizes[0];
    sizes.erase(sizes.begin());
    InputOptions input{.dtype = dtype_name(argument.dtype), .name = argument.name};
    if (batch != Shape::kUnknown) input.batch_size = batch;
    inputs.push_back(Input(Shape(sizes), input));
  }
  TFSMLayer graph = layer;
  const Nest outputs = inputs.size() == 1 ? graph(Nest(inputs[0])) : graph(Nest(inputs));
  return Model(inputs.size() == 1 ? Nest(inputs[0]) : Nest(inputs), outputs).share();
}

/// Loads a SavedModel. Keras 2 writes the architecture next to the graph, and the weights to a
/// checkpoint.
LayerPtr load_saved_model(const std::string& path, const LoadModelOptions& options) {
  if (!training::has_saved_model_config(path)) return load_saved_graph(path);
  training::register_model_classes();
  const CustomObjectScope scope(options.custom_objects);
  const Json object =
      training::from_keras2(saving::with_compile_config(training::saved_model_config(path)));
  LayerPtr layer;
  try {
    layer = deserialize_layer(object);
  } catch (const Error& error) {
    logging::warning(
        format("The architecture in '{}' cannot be built; the model is loaded as a graph without "
               "layers. {}",
               path, error.what()));
    return load_saved_graph(path);
  }
  auto* model = dynamic_cast<Model*>(layer.get());
  if (model == nullptr) throw TypeError("'{}' does not contain a model.", path);
  if (options.compile && object.contains("compile_config")) {
    model->compile_from_config(object["compile_config"]);
  }
  model->load_weights(path);
  return layer;
}

/// Copies the version of Keras that wrote an archive, if known, to `object`.
void add_version(const training::ModelStore& store, Json& object) {
  if (!store.contains(training::kMetadataFile)) return;
  const Json metadata =
      Json::parse(store.read(training::kMetadataFile), nullptr, /*allow_exceptions=*/false);
  if (metadata.is_object() && metadata.contains("keras_version")) {
    object["keras_version"] = metadata["keras_version"];
  }
}

/// The contents of config.json.
Json object_of(const Model& model, bool compiled) {
  Json object = serialize_layer(model);
  object["build_config"] = training::build_config_of(model);
  if (!compiled || !model.compiled()) return object;
  try {
    object["compile_config"] = model.get_compile_config();
  } catch (const ValueError& error) {
    logging::warning(
        format("The model is saved without the arguments of compile(). {}", error.what()));
  }
  return object;
}

/// Writes a model in Keras's older HDF5 layout.
void save_legacy_model(const Model& model, const Json& object, const Optimizer* optimizer,
                       const std::string& path) {
  const Json compiled = object.value("compile_config", Json(nullptr));
  io::Hdf5Writer file;
  const Json config = training::to_keras2(object);
  if (config.contains("keras_version")) {
    logging::warning(format(
        "'{}' is a file for Keras 2: its 'hard_sigmoid' activations are clip(0.2 x + 0.5, 0, "
        "1), but Keras 3 reads them as relu6(x + 3) / 6. Save to `.keras` for Keras 3.",
        path));
  }
  saving::write_legacy_model(file, config, training::to_keras2(compiled), model.layers(),
                             optimizer);
  write_file_atomically(path, file.bytes());
}

}  // namespace

void Model::save(const std::string& path, const SaveOptions& options) const {
  if (!path.ends_with(".keras") && !training::is_h5(path)) {
    throw ValueError(
        "Invalid filepath extension for saving. Please add a `.keras` extension for the native "
        "Keras format, or `.h5` for the older one. Received: filepath={}.",
        path);
  }
  if (!options.overwrite && fs::exists(path)) {
    throw ValueError("save: the file '{}' already exists, and `overwrite` is false.", path);
  }
  training::require_built(*this, "saving");
  const Json config = object_of(*this, options.include_optimizer);
  const Optimizer* optimizer = options.include_optimizer ? model_->optimizer.get() : nullptr;
  if (training::is_h5(path)) return save_legacy_model(*this, config, optimizer, path);
  training::save_archive(path, config, *this, optimizer);
}

LayerPtr load_model_object(const std::string& path, const LoadModelOptions& options) {
  if (training::is_h5(path)) return load_legacy_model(path, options);
  if (training::is_saved_model(path)) return load_saved_model(path, options);
  if (!path.ends_with(".keras") && !fs::is_directory(path)) {
    throw ValueError(
        "File format not supported: filepath={}. Expected a `.keras` or `.h5` file, or the folder "
        "of a SavedModel.",
        path);
  }
  training::register_model_classes();
  const CustomObjectScope scope(options.custom_objects);
  const training::ModelStore store = open_store(path);
  Json object = Json::parse(store.read(training::kConfigFile), nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) throw IOError("'{}': config.json is not a JSON object.", path);
  add_version(store, object);
  object = training::from_keras2(std::move(object));
  LayerPtr layer = deserialize_layer(object);
  training::build_from_config(*layer, object);
  auto* model = dynamic_cast<Model*>(layer.get());
  Optimizer* optimizer = nullptr;
  if (model != nullptr && options.compile && object.contains("compile_config")) {
    model->compile_from_config(object["compile_config"]);
    if (model->has_optimizer()) optimizer = &model->optimizer();
  }
  saving::read_assets(
      [&](const std::string& name) {
        return store.contains(name) ? std::optional(store.read(name)) : std::nullopt;
      },
      *layer);
  saving::read_weights(store.weights(), *layer, optimizer);
  return layer;
}

Model load_model(const std::string& path, const LoadModelOptions& options) {
  return training::model_of(load_model_object(path, options));
}

}  // namespace antler
