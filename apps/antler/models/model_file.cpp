#include "models/model_file.h"

#include "antler/base/error.h"
#include "antler/base/file.h"

namespace antler::cli {
namespace {

/// Users may give a checkpoint's index file; load_weights() takes its name without this ending.
constexpr const char* kCheckpointIndex = ".ckpt.index";

bool has_only_weights(const std::string& path) {
  return path.ends_with(kCheckpointIndex) || is_weights(path);
}

[[noreturn]] void fail_without_architecture(const std::string& path) {
  const std::string weights =
      path.ends_with(kCheckpointIndex) ? path.substr(0, path.rfind('.')) : path;
  throw ValueError(
      "'{}' contains only weights. Combine them with their model, or the .json of its "
      "architecture: antler convert MODEL NEW.keras --weights {}",
      path, weights);
}

}  // namespace

bool is_weights(const std::string& path) {
  return path.ends_with(".weights.h5") || path.ends_with(".npz") ||
         path.ends_with(".safetensors") || path.ends_with(".ckpt");
}

Model open_model(const std::string& path, const LoadModelOptions& options) {
  if (has_only_weights(path)) fail_without_architecture(path);
  if (path.ends_with(".json")) {
    throw ValueError(
        "'{}' is an architecture without weights. Create a model with new weights, or with those "
        "of a file: antler convert {} MODEL.keras [--weights FILE]",
        path, path);
  }
  return load_model(path, options);
}

Model open_architecture(const std::string& path, const LoadModelOptions& options) {
  if (path.ends_with(".json")) return model_from_json(read_file(path));
  return open_model(path, options);
}

}  // namespace antler::cli
