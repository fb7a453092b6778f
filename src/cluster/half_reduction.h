#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "antler/core/dtype.h"
#include "antler/ops/collectives.h"

namespace antler::cluster {

/// All-reduces of half-precision types over a network. A ring would round the sum at each process.
/// Here process r receives segment r from all processes, sums it in float, and sends the rounded
/// sums to all. That transfers as many bytes as a ring and gives all processes the same bits.
class HalfReduction {
 public:
  static bool takes(DType dtype) { return is_floating(dtype) && dtype_size(dtype) == 2; }

  /// Sends `count` elements of a block to each process, or one block to all; `result` receives one
  /// block from each process.
  using Exchange = std::function<void(uint16_t* blocks, size_t count, uint16_t* result)>;
  /// Combines the `count` elements at `data` in place. Throws what the two functions throw.
  void reduce(void* data, size_t count, DType dtype, ops::ReduceOp op, size_t processes,
              const Exchange& all_to_all, const Exchange& all_gather);

 private:
  // Kept between calls.
  std::vector<uint16_t> own_;
  std::vector<uint16_t> all_;
};

}  // namespace antler::cluster
