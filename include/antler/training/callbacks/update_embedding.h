#pragma once

#include <chrono>

#include "antler/nn/layers/dynamic_embedding.h"
#include "antler/training/callback.h"

namespace antler::callbacks {

/// Makes a DynamicEmbedding of the model take over the tokens seen most, about every `interval`
/// seconds, after a batch, and sets the optimizer's state of its weight to zero (Keras 2's
/// UpdateEmbeddingCallback, which does so in a thread of its own).
class UpdateEmbeddingCallback : public Callback {
 public:
  UpdateEmbeddingCallback(DynamicEmbedding dynamic_embedding_layer, double interval);
  void on_train_begin(const Logs& logs) override;
  void on_train_batch_end(int64_t batch, const Logs& logs) override;

 private:
  using Clock = std::chrono::steady_clock;
  DynamicEmbedding layer_;
  double interval_;
  Clock::time_point last_;
};

}  // namespace antler::callbacks
