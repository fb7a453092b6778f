#pragma once

#include <algorithm>
#include <cstdint>

#include "antler/ir/graph.h"
#include "runtime/cpu/move/bytes.h"

namespace antler::runtime {

/// The rows of x that a gather, gather_nd, scatter or scatter_nd accesses. Row r of the other
/// operand (the result of a gather, the updates of a scatter) has inner() elements.
///
/// oneDNN has neither gather nor scatter. Benchmarks: lstm, gpt1, gpt4 (embeddings and their
/// gradients).
class IndexedRows {
 public:
  /// gather, scatter: each index selects a slice of `axis`; dimensions before it are a batch.
  static IndexedRows along_axis(const Shape& x, const TensorSpec& indices, int64_t axis) {
    IndexedRows rows;
    rows.dtype_ = indices.dtype;
    rows.per_batch_ = indices.shape.num_elements();
    rows.sizes_ = {x[static_cast<int>(axis)]};
    const ir::Ints strides = x.strides();
    rows.strides_ = {strides[static_cast<size_t>(axis)]};
    rows.inner_ = rows.strides_[0];
    rows.batch_stride_ = rows.sizes_[0] * rows.inner_;
    rows.count_ = rows.per_batch_;
    for (int d = 0; d < axis; ++d) rows.count_ *= x[d];
    return rows;
  }
  /// gather_nd, scatter_nd: the last dimension of the indices holds coordinates in the leading
  /// dimensions of x.
  static IndexedRows by_coordinates(const Shape& x, const TensorSpec& indices) {
    IndexedRows rows;
    rows.dtype_ = indices.dtype;
    const auto depth = static_cast<size_t>(indices.shape.back());
    const ir::Ints strides = x.strides();
    rows.sizes_.assign(x.dims().begin(), x.dims().begin() + indices.shape.back());
    rows.strides_.assign(strides.begin(), strides.begin() + indices.shape.back());
    rows.inner_ = depth == 0 ? x.num_elements() : rows.strides_.back();
    const ir::Ints& dims = indices.shape.dims();
    rows.count_ = 1;
    for (size_t d = 0; d + 1 < dims.size(); ++d) rows.count_ *= dims[d];
    rows.per_batch_ = rows.count_;
    return rows;
  }

  int64_t count() const { return count_; }
  int64_t inner() const { return inner_; }
  /// Offset of row r in x, indices clamped to their range.
  int64_t clamped(const void* indices, int64_t r) const {
    return position(indices, r, [](int64_t index, int64_t size) {
      return std::clamp<int64_t>(index, 0, size - 1);
    });
  }
  /// Offset of row r in x; -1 if an index is out of range.
  int64_t checked(const void* indices, int64_t r) const {
    return position(indices, r, [](int64_t index, int64_t size) {
      return index >= 0 && index < size ? index : -1;
    });
  }

 private:
  template <class F>
  int64_t position(const void* indices, int64_t r, F&& inside) const {
    const auto depth = static_cast<int64_t>(sizes_.size());
    const int64_t row = per_batch_ == count_ ? r : r % per_batch_;
    int64_t result = per_batch_ == count_ ? 0 : r / per_batch_ * batch_stride_;
    for (int64_t d = 0; d < depth; ++d) {
      const auto i = static_cast<size_t>(d);
      const int64_t index = inside(index_at(indices, dtype_, row * depth + d), sizes_[i]);
      if (index < 0) return -1;
      result += index * strides_[i];
    }
    return result;
  }

  DType dtype_ = DType::int32;
  int64_t count_ = 0;
  int64_t per_batch_ = 0;
  int64_t batch_stride_ = 0;
  int64_t inner_ = 1;
  ir::Ints sizes_;
  ir::Ints strides_;
};

}  // namespace antler::runtime
