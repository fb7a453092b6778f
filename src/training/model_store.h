#pragma once

#include <optional>
#include <string>

#include "antler/io/zip.h"
#include "antler/saving/weights_h5.h"
#include "antler/training/model.h"

namespace antler::training {

inline constexpr const char* kConfigFile = "config.json";
inline constexpr const char* kMetadataFile = "metadata.json";

/// The files of a saved model, in a `.keras` archive or a folder.
class ModelStore {
 public:
  /// Throws IOError for an invalid archive.
  explicit ModelStore(const std::string& path);
  bool contains(const std::string& name) const;
  /// Throws ValueError if there is no such file.
  std::string read(const std::string& name) const;
  saving::WeightsFile weights() const;

 private:
  std::string path_;
  std::optional<io::ZipReader> zip_;
};

/// Writes a `.keras` archive with a configuration and the weights of a layer and its optimizer.
void save_archive(const std::string& path, const Json& config, const Layer& layer,
                  const Optimizer* optimizer = nullptr);

/// Throws ValueError for a model that is not built. `action` is a verb such as "saving".
void require_built(const Model& model, const char* action);
/// Whether a path has an HDF5 extension.
bool is_h5(const std::string& path);

}  // namespace antler::training
