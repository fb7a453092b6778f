#pragma once

#include "antler/nn/layers/dynamic_embedding.h"
#include "antler/training/callback.h"

namespace antler::callbacks {

/// About every `interval` seconds, at the end of a batch, updates the vocabulary of a
/// DynamicEmbedding with the most frequent tokens, and sets the optimizer's slots for its weight to
/// zero (Keras 2's UpdateEmbeddingCallback, which does so in a separate thread).
class UpdateEmbeddingCallback : public Callback {
 public:
  UpdateEmbeddingCallback(DynamicEmbedding dynamic_embedding_layer, double interval);
  void on_train_begin(const Logs& logs) override;
  void on_train_batch_end(int batch, const Logs& logs) override;

 private:
  DynamicEmbedding layer_;
  double interval_;
  double last_ = 0;  // seconds
};

}  // namespace antler::callbacks
