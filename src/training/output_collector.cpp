#include "training/output_collector.h"

#include <algorithm>
#include <cstring>

#include "antler/base/error.h"

namespace antler::training {
namespace {

/// The shape of `rows` rows of a leaf.
Shape with_rows(const Shape& shape, int64_t rows) {
  if (shape.empty()) return {rows};
  Shape result = shape;
  result[0] = rows;
  return result;
}

Tensor first_rows(const Tensor& array, int64_t rows) {
  Tensor result = Tensor::empty(array.dtype(), with_rows(array.shape(), rows));
  std::memcpy(result.mutable_data(), array.data(), result.bytes());
  return result;
}

}  // namespace

void OutputCollector::append_rows(Leaf& leaf, const Tensor& value) {
  const int64_t count = value.rank() == 0 ? 1 : value.dim(0);
  if (value.dtype() != leaf.array.dtype() ||
      !(with_rows(value.shape(), 0) == with_rows(leaf.array.shape(), 0))) {
    throw ValueError(
        "The outputs of the batches cannot be concatenated: they differ in more than the batch "
        "size. Received shape " +
        value.shape().str() + " after " + leaf.array.shape().str() + ".");
  }
  if (leaf.rows + count > leaf.capacity) {
    leaf.capacity = std::max(leaf.rows + count, 2 * leaf.capacity);
    Tensor larger = Tensor::empty(leaf.array.dtype(), with_rows(leaf.array.shape(), leaf.capacity));
    if (leaf.rows > 0) {
      const Tensor& old = leaf.array;
      std::memcpy(larger.mutable_data(), old.data(),
                  old.bytes() / static_cast<size_t>(old.dim(0)) * static_cast<size_t>(leaf.rows));
    }
    leaf.array = larger;
  }
  if (value.bytes() == 0) return;
  const size_t row_bytes = value.bytes() / static_cast<size_t>(count);
  std::memcpy(
      static_cast<char*>(leaf.array.mutable_data()) + row_bytes * static_cast<size_t>(leaf.rows),
      value.data(), value.bytes());
  leaf.rows += count;
}

void OutputCollector::append(const Nest& batch) {
  const Tensors values = batch.flatten();
  if (leaves_.empty()) {
    structure_ = batch.map([](const Tensor&) { return Tensor(); });
    for (const Tensor& value : values) {
      Leaf& leaf = leaves_.emplace_back();
      if (!value.defined()) continue;
      leaf.capacity = value.rank() == 0 ? 1 : std::max(expected_rows_, value.dim(0));
      leaf.array = Tensor::empty(value.dtype(), with_rows(value.shape(), leaf.capacity));
    }
  } else if (values.size() != leaves_.size()) {
    throw ValueError("The outputs of the batches differ in structure: " + structure_.structure() +
                     " and " + batch.structure() + ".");
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].defined() && leaves_[i].array.defined()) append_rows(leaves_[i], values[i]);
  }
}

Nest OutputCollector::finish() {
  if (leaves_.empty()) return {};
  Tensors arrays;
  for (const Leaf& leaf : leaves_) {
    arrays.push_back(leaf.rows == leaf.capacity ? leaf.array : first_rows(leaf.array, leaf.rows));
  }
  return structure_.pack(arrays);
}

void OutputCollector::clear() { leaves_.clear(); }

}  // namespace antler::training
