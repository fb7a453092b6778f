// Models and weights to and from files.
#include <ctime>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/log.h"
#include "antler/io/zip.h"
#include "antler/saving/legacy_h5.h"
#include "antler/saving/named_weights.h"
#include "antler/saving/weights_h5.h"
#include "antler/training/saving.h"
#include "training/keras2_config.h"
#include "training/model_config.h"
#include "training/model_state.h"

namespace antler {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfig = "config.json";
constexpr const char* kWeights = "model.weights.h5";
/// The version of Keras whose files these are.
constexpr const char* kKerasVersion = "3.15.1";

/// Files of a saved model: a zip archive, or a folder with the same names.
class Store {
 public:
  explicit Store(const std::string& path) : path_(path) {
    if (!fs::is_directory(path)) zip_ = io::ZipReader::open(path);
  }
  bool contains(const std::string& name) const {
    return zip_ ? zip_->contains(name) : fs::exists(fs::path(path_) / name);
  }
  std::string read(const std::string& name) const {
    if (!contains(name)) {
      throw ValueError("'" + path_ + "' is no saved model: it has no '" + name + "'.");
    }
    return zip_ ? zip_->read(name) : read_file((fs::path(path_) / name).string());
  }

 private:
  std::string path_;
  std::optional<io::ZipReader> zip_;
};

/// Keras's error for what is no model.
Store open_store(const std::string& path) {
  try {
    if (fs::exists(path)) return Store(path);
  } catch (const IOError& error) {
    throw ValueError("File not found: filepath=" + path +
                     ". Please ensure the file is an accessible `.keras` zip file. " +
                     error.what());
  }
  throw ValueError("File not found: filepath=" + path +
                   ". Please ensure the file is an accessible `.keras` zip file.");
}

std::string date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d@%H:%M:%S", &parts);
  return text;
}

saving::WeightsFile weights_in(const std::string& bytes, const std::string& where) {
  return saving::WeightsFile({io::Hdf5Reader::parse(bytes, where)});
}

void require_built(const Model& model, const char* what) {
  if (!model.built()) {
    throw ValueError("You are " + std::string(what) + " a model that was not built: `" +
                     model.name() +
                     "` has no weights yet. Call it on data, or `build` it, before.");
  }
}

bool is_h5(const std::string& path) { return path.ends_with(".h5") || path.ends_with(".hdf5"); }

/// A whole model in Keras's older HDF5 layout.
LayerPtr load_legacy_model(const std::string& path, const LoadModelOptions& options) {
  if (!fs::exists(path)) throw ValueError("File not found: filepath=" + path + ".");
  training::register_model_classes();
  const CustomObjectScope scope(options.custom_objects);
  const io::Hdf5Reader file = io::Hdf5Reader::open(path);
  const Json object = training::from_keras2(saving::legacy_model_config(file));
  LayerPtr layer = deserialize_layer(object);
  auto* model = dynamic_cast<Model*>(layer.get());
  if (model == nullptr) throw TypeError("'" + path + "' holds no model.");
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

/// The object that stands in config.json.
Json object_of(const Model& model, bool compiled) {
  Json object = serialize_layer(model);
  object["build_config"] = training::build_config_of(model);
  if (!compiled || !model.compiled()) return object;
  try {
    object["compile_config"] = model.get_compile_config();
  } catch (const ValueError& error) {
    log::warning("The model is saved without the arguments of compile(). " +
                 std::string(error.what()));
  }
  return object;
}

}  // namespace

void Model::save(const std::string& path, const SaveOptions& options) const {
  if (!path.ends_with(".keras")) {
    throw ValueError(
        "Invalid filepath extension for saving. Please add a `.keras` extension for "
        "the native Keras format. Received: filepath=" +
        path + ".");
  }
  if (!options.overwrite && fs::exists(path)) {
    throw ValueError("save: there is a file '" + path + "' already, and `overwrite` is false.");
  }
  require_built(*this, "saving");
  const Json config = object_of(*this, options.include_optimizer);
  const Json metadata = {{"keras_version", kKerasVersion}, {"date_saved", date()}};
  io::Hdf5Writer weights;
  saving::write_weights(weights, *this,
                        options.include_optimizer ? model_->optimizer.get() : nullptr);
  io::save_zip(
      path,
      {{"metadata.json", metadata.dump()}, {kConfig, config.dump()}, {kWeights, weights.bytes()}});
}

void Model::save_weights(const std::string& path, const SaveOptions& options) const {
  if (!options.overwrite && fs::exists(path)) {
    throw ValueError("save_weights: there is a file '" + path +
                     "' already, and `overwrite` is false.");
  }
  require_built(*this, "saving the weights of");
  if (saving::is_named_weights(path)) return saving::save_named_weights(*this, path);
  if (!path.ends_with(".weights.h5")) {
    throw ValueError(
        "The filename must end in `.weights.h5` (or `.npz`, `.safetensors`). Received: filepath=" +
        path);
  }
  saving::save_weights_h5(path, *this,
                          options.include_optimizer ? model_->optimizer.get() : nullptr);
}

void Model::load_weights(const std::string& path, const LoadWeightsOptions& options) {
  require_built(*this, "loading weights into");
  if (saving::is_named_weights(path)) return saving::load_named_weights(*this, path);
  const saving::LoadWeightsOptions how{.skip_mismatch = options.skip_mismatch};
  Optimizer* optimizer = model_->optimizer.get();
  if (path.ends_with(".keras")) {
    const std::string bytes = Store(path).read(kWeights);
    return saving::read_weights(weights_in(bytes, "The weights in '" + path + "'"), *this,
                                optimizer, how);
  }
  if (!is_h5(path) && !path.ends_with(".weights.json")) {
    throw ValueError("File format not supported: filepath=" + path +
                     ". Weights are in files that end in `.weights.h5`, `.weights.json`, `.h5`, "
                     "`.keras`, `.npz` or `.safetensors`.");
  }
  if (is_h5(path)) {
    const io::Hdf5Reader file = io::Hdf5Reader::open(path);
    if (saving::is_legacy_weights(file)) return saving::read_legacy_weights(file, layers());
  }
  saving::read_weights(saving::WeightsFile::open(path), *this, optimizer, how);
}

LayerPtr load_model_object(const std::string& path, const LoadModelOptions& options) {
  if (is_h5(path)) return load_legacy_model(path, options);
  if (!path.ends_with(".keras") && !fs::is_directory(path)) {
    throw ValueError("File format not supported: filepath=" + path +
                     ". Models are in `.keras` or `.h5` files.");
  }
  training::register_model_classes();
  const CustomObjectScope scope(options.custom_objects);
  const Store store = open_store(path);
  Json object = Json::parse(store.read(kConfig), nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) throw IOError("'" + path + "': config.json is no JSON object.");
  object = training::from_keras2(std::move(object));
  LayerPtr layer = deserialize_layer(object);
  training::build_from_config(*layer, object);
  auto* model = dynamic_cast<Model*>(layer.get());
  Optimizer* optimizer = nullptr;
  if (model != nullptr && options.compile && object.contains("compile_config")) {
    model->compile_from_config(object["compile_config"]);
    if (model->has_optimizer()) optimizer = &model->optimizer();
  }
  saving::read_weights(weights_in(store.read(kWeights), "The weights in '" + path + "'"), *layer,
                       optimizer);
  return layer;
}

Model load_model(const std::string& path, const LoadModelOptions& options) {
  return training::model_of(load_model_object(path, options));
}

}  // namespace antler
