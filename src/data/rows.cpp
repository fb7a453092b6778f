#include "data/rows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "antler/base/error.h"
#include "antler/core/dispatch.h"
#include "antler/core/feed.h"

namespace antler::data {
namespace {

struct RowCount {
  int64_t rows = -1;  ///< -1 without arrays
  std::string sizes;  ///< of all arrays, a line per group
};

RowCount count_rows(const NamedArrays& groups) {
  int64_t rows = -1;
  bool equal = true;
  std::string sizes;
  for (const auto& [name, arrays] : groups) {
    std::string line;
    for (const Tensor& leaf : arrays.flatten()) {
      if (!leaf.defined()) continue;
      if (leaf.rank() == 0) {
        throw ValueError("Expected arrays with samples along axis 0; `{}` has a scalar: {}.", name,
                         leaf);
      }
      leaf.data();  // throws if there is no buffer
      line += (line.empty() ? "" : ", ") + std::to_string(leaf.shape()[0]);
      if (rows < 0) rows = leaf.shape()[0];
      equal = equal && rows == leaf.shape()[0];
    }
    if (!line.empty()) sizes += format("  {} sizes: {}\n", name, line);
  }
  if (!equal) {
    throw ValueError(
        "Data cardinality is ambiguous:\n{}Make sure all arrays contain the same number of "
        "samples.",
        sizes);
  }
  return {rows, std::move(sizes)};
}

/// Whether programs can read this memory in place.
bool is_lendable(const void* data) {
  return reinterpret_cast<uintptr_t>(data) % BatchFeed::kLentAlignment == 0;
}

}  // namespace

void check_same_rows(const NamedArrays& groups) { count_rows(groups); }

int64_t common_rows(const NamedArrays& groups) {
  const auto [rows, sizes] = count_rows(groups);
  if (rows < 0) throw ValueError("Expected input data to be non-empty: no array was given.");
  if (rows == 0) throw ValueError("Expected input data to be non-empty. Received:\n{}", sizes);
  return rows;
}

Tensor row_view(const Tensor& t, int64_t index) {
  const Shape& shape = t.shape();
  const size_t row_bytes = t.bytes() / static_cast<size_t>(shape[0]);
  auto* data = static_cast<std::byte*>(t.mutable_data());
  return Tensor::from_buffer(
      {t.dtype(), Shape(shape.begin() + 1, shape.end())},
      Buffer::borrow(data + static_cast<size_t>(index) * row_bytes, row_bytes, t.impl()->buffer));
}

Tensor rows_view(const Tensor& t, int64_t first, int64_t count) {
  Shape shape = t.shape();
  const size_t row_bytes = t.bytes() / static_cast<size_t>(std::max<int64_t>(shape[0], 1));
  shape[0] = count;
  auto* data = static_cast<std::byte*>(t.mutable_data());
  return Tensor::from_buffer(
      {t.dtype(), shape}, Buffer::borrow(data + static_cast<size_t>(first) * row_bytes,
                                         static_cast<size_t>(count) * row_bytes, t.impl()->buffer));
}

Tensor rows_of(const Tensor& t, int64_t first, int64_t count) {
  Tensor view = rows_view(t, first, count);
  if (is_lendable(view.data())) return view;
  Tensor copy = Tensor::empty(t.dtype(), view.shape());
  if (copy.bytes() > 0) std::memcpy(copy.mutable_data(), view.data(), copy.bytes());
  return copy;
}

void lend_or_copy(const Tensor& t, void*& buffer) {
  if (t.bytes() == 0) return;
  if (is_lendable(t.data())) {
    buffer = t.mutable_data();
  } else {
    std::memcpy(buffer, t.data(), t.bytes());
  }
}

Tensor to_default_float(const Tensor& t) {
  const DType dtype = default_float();
  if (!t.defined() || t.dtype() != DType::float64 || dtype == DType::float64) return t;
  Tensor result = Tensor::empty(dtype, t.shape());
  const auto* from = t.data<double>();
  dispatch(dtype, [&]<class T>() {
    std::transform(from, from + t.size(), result.mutable_data<T>(),
                   [](double v) { return static_cast<T>(static_cast<ComputeType<T>>(v)); });
  });
  return result;
}

}  // namespace antler::data
