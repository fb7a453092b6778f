#include "training/output_collector.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include "antler/base/error.h"

namespace antler::training {
namespace {

/// `shape` with `rows` rows; a scalar counts as one row.
Shape with_rows(const Shape& shape, int64_t rows) {
  if (shape.empty()) return {rows};
  Shape result = shape;
  result[0] = rows;
  return result;
}

Tensor first_rows(const Tensor& array, int64_t rows) {
  Tensor result = Tensor::empty(array.dtype(), with_rows(array.shape(), rows));
  if (result.bytes() > 0) std::memcpy(result.mutable_data(), array.data(), result.bytes());
  return result;
}

/// Appends copies of the first `count` rows of an array to `rows`.
void split_rows(const Tensor& array, int64_t count, std::vector<Nest>& rows) {
  const Shape shape(array.shape().begin() + 1, array.shape().end());
  for (int64_t i = 0; i < count; ++i) {
    Tensor row = Tensor::empty(array.dtype(), shape);
    const auto offset = static_cast<size_t>(i) * row.bytes();
    if (row.bytes() > 0) {
      std::memcpy(row.mutable_data(), static_cast<const char*>(array.data()) + offset, row.bytes());
    }
    rows.emplace_back(row);
  }
}

/// `structure` with its leaves replaced in the order of flatten().
Nest with_leaves(const Nest& structure, const std::vector<Nest>& leaves, size_t& next) {
  if (structure.is_list()) {
    std::vector<Nest> list;
    for (size_t i = 0; i < structure.size(); ++i)
      list.push_back(with_leaves(structure[i], leaves, next));
    return list;
  }
  if (!structure.is_dict()) return leaves[next++];
  std::map<std::string, const Nest*> sorted;
  for (const auto& [key, value] : structure.items()) sorted[key] = &value;
  std::map<std::string, Nest> values;
  for (const auto& [key, value] : sorted) values[key] = with_leaves(*value, leaves, next);
  Nest::Items items;
  for (const auto& [key, value] : structure.items()) items.emplace_back(key, values[key]);
  return Nest::dict(std::move(items));
}

}  // namespace

void OutputCollector::append_rows(Leaf& leaf, const Tensor& value) {
  const int64_t count = value.rank() == 0 ? 1 : value.dim(0);
  const int rank = value.rank() == 0 ? 1 : value.rank();
  if (value.dtype() != leaf.array.dtype() || rank != leaf.array.rank()) {
    throw ValueError(
        "The outputs of the batches cannot be concatenated: they differ in dtype or rank. "
        "Received: shape={}, dtype={}. Before: shape={}, dtype={}.",
        value.shape(), dtype_name(value.dtype()), with_rows(leaf.array.shape(), -1),
        dtype_name(leaf.array.dtype()));
  }
  if (!leaf.ragged && with_rows(value.shape(), 0) != with_rows(leaf.array.shape(), 0)) {
    if (leaf.rows == 0) {  // only empty batches so far, whose shape need not be that of others
      leaf.array = Tensor::empty(value.dtype(), with_rows(value.shape(), leaf.capacity));
    } else {
      leaf.ragged = true;
      split_rows(leaf.array, leaf.rows, leaf.row_list);
    }
  }
  if (leaf.ragged) return split_rows(value, count, leaf.row_list);
  if (leaf.rows + count > leaf.capacity) {
    leaf.capacity = std::max(leaf.rows + count, 2 * leaf.capacity);
    Tensor larger = Tensor::empty(leaf.array.dtype(), with_rows(leaf.array.shape(), leaf.capacity));
    if (leaf.rows > 0 && larger.bytes() > 0) {
      const Tensor& old = leaf.array;
      std::memcpy(larger.mutable_data(), old.data(),
                  old.bytes() / static_cast<size_t>(old.dim(0)) * static_cast<size_t>(leaf.rows));
    }
    leaf.array = larger;
  }
  if (value.bytes() > 0) {
    const size_t row_bytes = value.bytes() / static_cast<size_t>(count);
    std::memcpy(
        static_cast<char*>(leaf.array.mutable_data()) + row_bytes * static_cast<size_t>(leaf.rows),
        value.data(), value.bytes());
  }
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
    throw ValueError("The outputs of the batches differ in structure: {} and {}.",
                     structure_.structure(), batch.structure());
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].defined() && leaves_[i].array.defined()) append_rows(leaves_[i], values[i]);
  }
}

Nest OutputCollector::finish() {
  if (leaves_.empty()) return {};
  std::vector<Nest> leaves;
  for (const Leaf& leaf : leaves_) {
    if (leaf.ragged) {
      leaves.emplace_back(leaf.row_list);
    } else {
      leaves.emplace_back(leaf.rows == leaf.capacity ? leaf.array
                                                     : first_rows(leaf.array, leaf.rows));
    }
  }
  size_t next = 0;
  return with_leaves(structure_, leaves, next);
}

void OutputCollector::clear() { leaves_.clear(); }

}  // namespace antler::training
