#pragma once

#include <cstddef>
#include <cstdint>

namespace antler::data {

/// What each thread copies.
enum class GatherShare {
  rows,     ///< some of the rows: of samples, which the kernels of a model share out as well
  columns,  ///< its part of each row: of vectors of features, which products share out so
};

/// The share that suits a sample of this shape. Products with large weights are cut along the
/// weights' rows, which are the samples' features: the thread that copied them has them in its own
/// cache then.
GatherShare gather_share(size_t sample_rank, size_t row_bytes);

/// Copies rows `rows[0..count)` of `row_bytes` bytes each from `from`, one behind the other, to
/// `to`.
void gather_rows(std::byte* to, const std::byte* from, size_t row_bytes, const int64_t* rows,
                 int64_t count, GatherShare share = GatherShare::rows);

}  // namespace antler::data
