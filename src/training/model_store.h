#pragma once

#include <optional>
#include <string>

#include "antler/io/zip.h"
#include "antler/saving/weights_h5.h"
#include "antler/training/model.h"

namespace antler::training {

inline constexpr const char* kConfigFile = "config.json";
inline constexpr const char* kWeightsFile = "model.weights.h5";

/// Files of a saved model: a `.keras` archive, or a folder with the same names.
class ModelStore {
 public:
  /// Throws IOError for what is no archive.
  explicit ModelStore(const std::string& path);
  bool contains(const std::string& name) const;
  /// Throws ValueError where there is no file of the name.
  std::string read(const std::string& name) const;
  saving::WeightsFile weights() const;

 private:
  std::string path_;
  std::optional<io::ZipReader> zip_;
};

/// Throws ValueError, which says what was tried ("saving"), for a model without weights yet.
void require_built(const Model& model, const char* what);
/// By the ending of its name.
bool is_h5(const std::string& path);

}  // namespace antler::training
