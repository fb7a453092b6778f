#include "antler/training/callbacks/update_embedding.h"

#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/training/model.h"

namespace antler::callbacks {
namespace {

/// Slots are named for the path of their weight.
std::string slot_prefix(const Variable& weight) {
  std::string prefix = weight.path();
  for (char& c : prefix) {
    if (c == '/') c = '_';
  }
  return prefix + "_";
}

}  // namespace

UpdateEmbeddingCallback::UpdateEmbeddingCallback(DynamicEmbedding dynamic_embedding_layer,
                                                 double interval)
    : layer_(std::move(dynamic_embedding_layer)), interval_(interval) {
  if (!(interval_ >= 0)) {
    throw ValueError(
        "UpdateEmbeddingCallback: `interval` must be a number of seconds. Received: interval=" +
        std::to_string(interval));
  }
}

void UpdateEmbeddingCallback::on_train_begin(const Logs&) { last_ = Clock::now(); }

void UpdateEmbeddingCallback::on_train_batch_end(int64_t, const Logs&) {
  if (std::chrono::duration<double>(Clock::now() - last_).count() < interval_) return;
  last_ = Clock::now();
  layer_.update_embeddings();
  const std::string prefix = slot_prefix(layer_.weights()[0]);
  for (const Variable& slot : model->optimizer().variables()) {
    if (slot.name().starts_with(prefix)) {
      slot.store(Tensor::zeros(slot.dtype(), slot.shape()));
    }
  }
}

}  // namespace antler::callbacks
