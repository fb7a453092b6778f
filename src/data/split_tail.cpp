#include <cmath>
#include <cstddef>
#include <utility>

#include "antler/base/error.h"
#include "antler/data/array_source.h"
#include "data/rows.h"

namespace antler::data {
namespace {

/// Rows [begin, end) of `t`. Shares the memory of `t`.
Tensor rows_view(const Tensor& t, int64_t begin, int64_t end) {
  if (!t.defined()) return t;
  Shape shape = t.shape();
  const size_t row_bytes = t.bytes() / static_cast<size_t>(shape[0]);
  shape[0] = end - begin;
  auto* data = static_cast<std::byte*>(t.mutable_data());
  return Tensor::from_buffer(
      {t.dtype(), shape},
      Buffer::borrow(data + static_cast<size_t>(begin) * row_bytes,
                     static_cast<size_t>(end - begin) * row_bytes, t.impl()->buffer));
}

/// A list of three is [x, y, sample_weight].
NamedArrays named(const Nest& arrays) {
  if (!arrays.is_list() || arrays.size() != 3) return {{"x", arrays}};
  return {{"x", arrays.at(0)}, {"y", arrays.at(1)}, {"sample_weight", arrays.at(2)}};
}

}  // namespace

std::pair<Nest, Nest> split_tail(const Nest& arrays, double fraction) {
  const int64_t rows = common_rows(named(arrays));
  if (!(fraction > 0 && fraction < 1)) {
    throw ValueError("`validation_split` must be between 0 and 1. Received: {}.", fraction);
  }
  const auto at = static_cast<int64_t>(std::floor(static_cast<double>(rows) * (1.0 - fraction)));
  if (at == 0 || at == rows) {
    throw ValueError(
        "Training data contains {} samples, which is not sufficient to split it into a validation "
        "and training set as specified by `validation_split={}`. Either provide more data, or a "
        "different value for the `validation_split` argument.",
        rows, fraction);
  }
  return {arrays.map([&](const Tensor& t) { return rows_view(t, 0, at); }),
          arrays.map([&](const Tensor& t) { return rows_view(t, at, rows); })};
}

}  // namespace antler::data
