#include "training/callbacks/embeddings_log.h"

#include <algorithm>
#include <filesystem>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/tensor_bundle.h"
#include "antler/ir/tracer.h"
#include "base/proto_text.h"
#include "saving/checkpoint_objects.h"
#include "saving/checkpoint_state.h"

namespace antler::callbacks {
namespace {

/// The version of Keras whose checkpoint layout is written.
constexpr int kProjectorKeras = 2;

std::vector<LayerPtr> embedding_layers(const Model& model) {
  std::vector<LayerPtr> layers = model.layers();
  std::erase_if(layers, [](const LayerPtr& layer) { return layer->class_name() != "Embedding"; });
  return layers;
}

}  // namespace

void EmbeddingsLog::check(const Model& model) const {
  const std::vector<LayerPtr> layers = embedding_layers(model);
  std::string unknown;
  for (const auto& entry : metadata_.by_layer) {
    const std::string& name = entry.first;
    const bool known = std::any_of(layers.begin(), layers.end(),
                                   [&](const LayerPtr& layer) { return layer->name() == name; });
    if (!known) unknown += (unknown.empty() ? "'" : ", '") + name + "'";
  }
  if (!unknown.empty()) {
    throw ValueError(
        "Unrecognized `Embedding` layer names passed to `TensorBoard` as `embeddings_metadata`: "
        "{}.",
        unknown);
  }
}

void EmbeddingsLog::write(const Model& model, int64_t epoch) const {
  namespace fs = std::filesystem;
  const ir::TraceSuspension suspension;
  saving::ObjectGraphWriter writer(kProjectorKeras);
  writer.add_root(model);
  std::string config;
  for (const LayerPtr& layer : embedding_layers(model)) {
    const auto given = metadata_.by_layer.find(layer->name());
    const std::string& metadata =
        given == metadata_.by_layer.end() ? metadata_.of_all : given->second;
    config +=
        "embeddings {\n  tensor_name: " + quoted_string(writer.key_of(layer->weights().at(0)));
    if (!metadata.empty()) config += "\n  metadata_path: " + quoted_string(metadata);
    config += "\n}\n";
  }
  const std::string name = "train/keras_embedding.ckpt-" + std::to_string(epoch);
  const fs::path folder(log_dir_);
  std::error_code error;
  fs::create_directories(folder / "train", error);
  if (error) {
    throw IOError("Cannot create the folder {}: {}.", (folder / "train").string(), error.message());
  }
  io::save_tensor_bundle((folder / name).string(), writer.entries());
  saving::write_checkpoint_state(log_dir_, {.model_checkpoint_path = name,
                                            .all_model_checkpoint_paths = {name},
                                            .all_model_checkpoint_timestamps = {}});
  write_file_atomically((folder / "projector_config.pbtxt").string(), config);
}

}  // namespace antler::callbacks
