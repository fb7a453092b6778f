#include "training/next_batch.h"

#include <vector>

namespace antler::training {

std::optional<Nest> next_batch(DataSource& source) {
  Nest specs;
  if (source.batch_rows() == 0 || !source.peek(specs)) return std::nullopt;
  std::vector<void*> buffers;
  Nest batch = specs.map([&](const Tensor& leaf) {
    if (!leaf.defined()) return leaf;
    Tensor value = Tensor::empty(leaf.dtype(), leaf.shape());
    buffers.push_back(value.mutable_data());
    return value;
  });
  if (!source.fill(buffers)) return std::nullopt;
  return batch;
}

}  // namespace antler::training
