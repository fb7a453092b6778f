#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "antler/core/tensor.h"

namespace antler::data {

/// How the copying is divided among threads: what each of them copies.
enum class GatherShare {
  rows,     ///< some of the rows, because kernels divide samples among threads too
  columns,  ///< a part of each row, because large matrix products divide features among threads
};

/// The share for a sample of this shape. Products with large weights are split along the rows of
/// the weights, which correspond to the features of the samples. The thread that copies a feature
/// then finds it in its own cache.
GatherShare gather_share(size_t sample_rank, size_t row_bytes);

/// Copies rows `rows[0..count)` of `row_bytes` bytes each from `from` to consecutive rows of `to`.
void gather_rows(std::byte* to, const std::byte* from, size_t row_bytes, const int64_t* rows,
                 int64_t count, GatherShare share = GatherShare::rows);

/// A copy of these rows (axis 0) of `t`.
Tensor take_rows(const Tensor& t, std::span<const int64_t> rows);

}  // namespace antler::data
