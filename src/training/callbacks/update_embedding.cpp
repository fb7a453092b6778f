#include "antler/training/callbacks/update_embedding.h"

#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/training/model.h"
#include "base/clock.h"

namespace antler::callbacks {
namespace {

/// The slots of a weight are named after its path.
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
        "UpdateEmbeddingCallback: `interval` must be a number of seconds. Received: interval={}",
        interval);
  }
}

void UpdateEmbeddingCallback::on_train_begin(const Logs&) { last_ = steady_seconds(); }

void UpdateEmbeddingCallback::on_train_batch_end(int, const Logs&) {
  if (steady_seconds() - last_ < interval_) return;
  last_ = steady_seconds();
  layer_.update_embeddings();
  const std::string prefix = slot_prefix(layer_.weights()[0]);
  for (const Variable& slot : model->optimizer().variables()) {
    if (slot.name().starts_with(prefix)) {
      slot.store(Tensor::zeros(slot.dtype(), slot.shape()));
    }
  }
}

}  // namespace antler::callbacks
