#pragma once

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
};

}  // namespace antler
