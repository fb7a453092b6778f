#include "training/model_store.h"

#include <ctime>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/hdf5.h"

namespace antler::training {
namespace {

namespace fs = std::filesystem;

/// The version of Keras whose file format is written.
constexpr const char* kKerasVersion = "3.15.1";
constexpr const char* kWeightsFile = "model.weights.h5";

std::string current_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char date[32];
  std::strftime(date, sizeof date, "%Y-%m-%d@%H:%M:%S", &parts);
  return date;
}

}  // namespace

ModelStore::ModelStore(const std::string& path) : path_(path) {
  if (!fs::is_directory(path)) zip_ = io::ZipReader::open(path);
}

bool ModelStore::contains(const std::string& name) const {
  return zip_ ? zip_->contains(name) : fs::exists(fs::path(path_) / name);
}

std::string ModelStore::read(const std::string& name) const {
  if (!contains(name)) {
    throw ValueError("'{}' is not a saved model: it has no '{}'.", path_, name);
  }
  return zip_ ? zip_->read(name) : read_file((fs::path(path_) / name).string());
}

saving::WeightsFile ModelStore::weights() const {
  return saving::WeightsFile(
      {io::Hdf5Reader::parse(read(kWeightsFile), format("The weights in '{}'", path_))});
}

void save_archive(const std::string& path, const Json& config, const Layer& layer,
                  const Optimizer* optimizer) {
  const Json metadata = {{"keras_version", kKerasVersion}, {"date_saved", current_date()}};
  io::Hdf5Writer weights;
  saving::write_weights(weights, layer, optimizer);
  io::save_zip(path, {{kMetadataFile, metadata.dump()},
                      {kConfigFile, config.dump()},
                      {kWeightsFile, weights.bytes()}});
}

void require_built(const Model& model, const char* action) {
  if (model.built()) return;
  throw ValueError(
      "You are {} a model that is not built: `{}` has no weights yet. Call it on data or `build` "
      "it first.",
      action, model.name());
}

bool is_h5(const std::string& path) { return path.ends_with(".h5") || path.ends_with(".hdf5"); }

}  // namespace antler::training
