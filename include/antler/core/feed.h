#pragma once

#include <cstddef>
#include <span>

#include "antler/core/tensor.h"

namespace antler {

/// Source of batches for a compiled program: writes each batch straight into the program's input
/// buffers. One thread calls it, once per step, between the steps.
class BatchFeed {
 public:
  virtual ~BatchFeed() = default;
  /// Writes the leaves of the next batch, row-major, to `buffers[0..]`. Returns false, having
  /// written nothing, when there is no further batch of the shapes for which the program was made.
  virtual bool fill(std::span<void* const> buffers) = 0;

  /// fill() for a caller that only reads the batch. `batch` comes as the buffers; where leaf i lies
  /// in memory as the program wants it, at an address that kLentAlignment divides, batch[i] may be
  /// set to that instead of a copy. It must stay as it is until the next call.
  virtual bool fill_or_lend(std::span<void*> batch) { return fill(batch); }
  static constexpr size_t kLentAlignment = 64;  ///< bytes
};

}  // namespace antler
