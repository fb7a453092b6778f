#include <filesystem>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/tensor_bundle.h"
#include "antler/ir/tracer.h"
#include "antler/saving/legacy_h5.h"
#include "antler/saving/named_weights.h"
#include "antler/saving/weights_h5.h"
#include "antler/training/model.h"
#include "saving/checkpoint_objects.h"
#include "saving/checkpoint_state.h"
#include "training/model_state.h"
#include "training/model_store.h"

namespace antler {
namespace {

namespace fs = std::filesystem;

/// Checkpoints have the object graph of Keras 2.
constexpr int kCheckpointKeras = 2;

bool is_checkpoint(const std::string& path) { return fs::exists(path + ".index"); }

/// The prefix of a checkpoint's files: the path itself, or the variables of a SavedModel.
std::string checkpoint_prefix(const std::string& path) {
  const std::string variables = (fs::path(path) / "variables" / "variables").string();
  return is_checkpoint(variables) ? variables : path;
}

bool is_legacy_file(const std::string& path) {
  return training::is_h5(path) && saving::is_legacy_weights(io::Hdf5Reader::open(path));
}

void save_checkpoint(const Model& model, const Optimizer* optimizer, const std::string& prefix) {
  const ir::TraceSuspension suspension;
  saving::ObjectGraphWriter writer(kCheckpointKeras);
  writer.add_root(model);
  if (optimizer != nullptr && optimizer->built()) writer.add("optimizer", optimizer->share());
  io::save_tensor_bundle(prefix, writer.entries());
  saving::write_checkpoint_state(saving::folder_of(prefix),
                                 {.model_checkpoint_path = prefix,
                                  .all_model_checkpoint_paths = {prefix},
                                  .all_model_checkpoint_timestamps = {}});
}

void load_checkpoint(const Model& model, Optimizer* optimizer, const std::string& prefix,
                     const LoadWeightsOptions& options) {
  const ir::TraceSuspension suspension;
  const io::TensorBundle bundle = io::TensorBundle::open(prefix);
  saving::ObjectGraphReader reader(bundle, options.skip_mismatch);
  const int64_t object = reader.read_root(model);
  int64_t state = reader.child_of(object, "optimizer");
  if (state < 0) state = reader.child_of(0, "optimizer");
  if (optimizer != nullptr && state >= 0) {
    if (!optimizer->built()) optimizer->build(model.trainable_variables());
    reader.read_optimizer(*optimizer, state);
  }
  reader.store();
}

}  // namespace

void Model::save_weights(const std::string& path, const SaveOptions& options) const {
  const bool checkpoint = path.ends_with(".ckpt");
  if (!options.overwrite && fs::exists(checkpoint ? path + ".index" : path)) {
    throw ValueError("save_weights: the file '{}' already exists, and `overwrite` is false.", path);
  }
  training::require_built(*this, "saving the weights of");
  const Optimizer* optimizer = options.include_optimizer ? model_->optimizer.get() : nullptr;
  if (saving::is_named_weights(path)) return saving::save_named_weights(*this, path);
  if (checkpoint) return save_checkpoint(*this, optimizer, path);
  if (!training::is_h5(path)) {
    throw ValueError(
        "The filename must end in `.weights.h5` (or `.h5`, `.npz`, `.safetensors`, `.ckpt`). "
        "Received: filepath={}",
        path);
  }
  if (path.ends_with(".weights.h5")) return saving::save_weights_h5(path, *this, optimizer);
  io::Hdf5Writer file;
  saving::write_legacy_weights(file, layers(), "");
  write_file_atomically(path, file.bytes());
}

void Model::load_weights(const std::string& path, const LoadWeightsOptions& options) {
  training::require_built(*this, "loading weights into");
  if (options.by_name && !is_legacy_file(path)) {
    throw ValueError(
        "load_weights: `by_name` is for Keras's older `.h5` files. Received: filepath={}", path);
  }
  if (saving::is_named_weights(path)) return saving::load_named_weights(*this, path);
  Optimizer* optimizer = model_->optimizer.get();
  if (const std::string prefix = checkpoint_prefix(path); is_checkpoint(prefix)) {
    return load_checkpoint(*this, optimizer, prefix, options);
  }
  const saving::LoadWeightsOptions how{.skip_mismatch = options.skip_mismatch};
  if (path.ends_with(".keras")) {
    return saving::read_weights(training::ModelStore(path).weights(), *this, optimizer, how);
  }
  const bool h5 = training::is_h5(path);
  if (!h5 && !path.ends_with(".weights.json")) {
    throw ValueError(
        "File format not supported: filepath={}. Expected a file that ends in `.weights.h5`, "
        "`.weights.json`, `.h5`, `.keras`, `.npz` or `.safetensors`, a checkpoint (the path "
        "without `.index`) or a SavedModel.",
        path);
  }
  if (h5) {
    const io::Hdf5Reader file = io::Hdf5Reader::open(path);
    if (saving::is_legacy_weights(file)) {
      return saving::read_legacy_weights(
          file, layers(), {.by_name = options.by_name, .skip_mismatch = options.skip_mismatch});
    }
  }
  saving::read_weights(saving::WeightsFile::open(path), *this, optimizer, how);
}

}  // namespace antler
