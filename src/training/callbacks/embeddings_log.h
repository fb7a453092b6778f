#pragma once

#include <cstdint>
#include <string>

#include "antler/training/callbacks/tensorboard.h"
#include "antler/training/model.h"

namespace antler::callbacks {

/// Writes the files that TensorBoard's projector reads: checkpoints of the weights,
/// `<log_dir>/train/keras_embedding.ckpt-<epoch>`; the file `<log_dir>/checkpoint` with the name of
/// the last one; and `<log_dir>/projector_config.pbtxt`, which lists the embeddings and their
/// metadata.
class EmbeddingsLog {
 public:
  EmbeddingsLog(std::string log_dir, EmbeddingsMetadata metadata)
      : log_dir_(std::move(log_dir)), metadata_(std::move(metadata)) {}

  /// Throws ValueError if the metadata names a layer that is not an Embedding of the model.
  void check(const Model& model) const;
  void write(const Model& model, int64_t epoch) const;

 private:
  std::string log_dir_;
  EmbeddingsMetadata metadata_;
};

}  // namespace antler::callbacks
