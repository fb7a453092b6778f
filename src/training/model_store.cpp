#include "training/model_store.h"

#include <filesystem>

#include "antler/base/error.h"
#include "antler/base/file.h"

namespace antler::training {

namespace fs = std::filesystem;

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

void require_built(const Model& model, const char* action) {
  if (model.built()) return;
  throw ValueError(
      "You are {} a model that is not built: `{}` has no weights yet. Call it on data or `build` "
      "it "
      "first.",
      action, model.name());
}

bool is_h5(const std::string& path) { return path.ends_with(".h5") || path.ends_with(".hdf5"); }

}  // namespace antler::training
