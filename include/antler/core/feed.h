#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "antler/core/tensor.h"

namespace antler {

/// Source of batches for a compiled program: writes each batch straight into the program's input
/// buffers. One thread calls it, once per step, between the steps.
class BatchFeed {
 public:
  virtual ~BatchFeed() = default;
  /// Writes the leaves of the next batch, row-major, to `buffers[0..]`. Returns false, and writes
  /// nothing, if there is no further batch of the program's shapes.
  virtual bool fill(std::span<void* const> buffers) = 0;

  /// fill() for a caller that only reads the batch. On entry `batch` holds the buffers. If leaf i
  /// is already in memory in the right layout and aligned to kLentAlignment, batch[i] may be set to
  /// its address instead. That memory must not change until the next call.
  virtual bool fill_or_lend(std::span<void*> batch) { return fill(batch); }
  static constexpr size_t kLentAlignment = 64;  ///< bytes

  /// If every batch consists of rows of fixed arrays: these arrays, one per leaf; else empty. An
  /// executor that has a copy of the arrays can call fill_row_numbers() instead of fill().
  virtual std::vector<Tensor> row_arrays() const { return {}; }
  /// Writes the numbers of the next batch's rows, which are the same for all leaves. Returns false,
  /// and writes nothing, when fill() would.
  virtual bool fill_row_numbers(std::span<int32_t> /*rows*/) { return false; }
};

}  // namespace antler
