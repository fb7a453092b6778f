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
    throw ValueError("'" + path_ + "' is no saved model: it has no '" + name + "'.");
  }
  return zip_ ? zip_->read(name) : read_file((fs::path(path_) / name).string());
}

saving::WeightsFile ModelStore::weights() const {
  return saving::WeightsFile(
      {io::Hdf5Reader::parse(read(kWeightsFile), "The weights in '" + path_ + "'")});
}

void require_built(const Model& model, const char* what) {
  if (!model.built()) {
    throw ValueError("You are " + std::string(what) + " a model that was not built: `" +
                     model.name() +
                     "` has no weights yet. Call it on data, or `build` it, before.");
  }
}

bool is_h5(const std::string& path) { return path.ends_with(".h5") || path.ends_with(".hdf5"); }

}  // namespace antler::training
