#include "model_file.h"

#include "antler/base/error.h"
#include "antler/base/file.h"

namespace antler::cli {
namespace {

/// For these, checkpoints are named without their ending.
constexpr const char* kCheckpointIndex = ".ckpt.index";

bool holds_weights_alone(const std::string& path) {
  return path.ends_with(kCheckpointIndex) || is_weights(path);
}

[[noreturn]] void fail_without_architecture(const std::string& path) {
  const std::string weights =
      path.ends_with(kCheckpointIndex) ? path.substr(0, path.rfind('.')) : path;
  throw ValueError("'" + path +
                   "' holds weights alone. With the model, or the .json of the architecture, that "
                   "they are of: antler convert MODEL NEW.keras --weights " +
                   weights);
}

}  // namespace

bool is_weights(const std::string& path) {
  return path.ends_with(".weights.h5") || path.ends_with(".npz") ||
         path.ends_with(".safetensors") || path.ends_with(".ckpt");
}

Model open_model(const std::string& path, const LoadModelOptions& options) {
  if (holds_weights_alone(path)) fail_without_architecture(path);
  if (path.ends_with(".json")) {
    throw ValueError("'" + path +
                     "' is no model with weights. Those of an architecture come from a file, or "
                     "are new ones: antler convert " +
                     path + " MODEL.keras [--weights FILE]");
  }
  return load_model(path, options);
}

Model open_architecture(const std::string& path, const LoadModelOptions& options) {
  if (path.ends_with(".json")) return model_from_json(read_file(path));
  return open_model(path, options);
}

}  // namespace antler::cli
