#pragma once

#include <algorithm>
#include <cstdint>

#include "base/ceil_div.h"
#include "ops/numpy/reductions/lanes.h"
#include "runtime/cpu/parallel.h"

namespace antler::runtime {

/// For sorts, cumulative ops and argmax along an axis, which oneDNN does not have. argmax matters
/// in the benchmark mlp_tiny (accuracy); the others replace single-threaded reference loops.
///
/// Adjacent lanes are processed together, so that memory is read in order.
inline constexpr int64_t kLaneBlock = 16;

/// Calls body(offset of the first lane's first element, lanes in the block, index of the first
/// lane, worker) for blocks of at most kLaneBlock adjacent lanes.
template <class Body>
void for_each_lane_block(const ops::Lanes& lanes, int64_t bytes, int threads, const Body& body) {
  const int64_t blocks = ceil_div(lanes.inner, kLaneBlock);
  parallel_ranges(threads_for_bytes(threads, bytes), lanes.outer * blocks,
                  [&](int64_t begin, int64_t end, int worker) {
                    for (int64_t b = begin; b < end; ++b) {
                      const int64_t inner = b % blocks * kLaneBlock;
                      const int64_t outer = b / blocks;
                      body(outer * lanes.length * lanes.inner + inner,
                           std::min(kLaneBlock, lanes.inner - inner), outer * lanes.inner + inner,
                           worker);
                    }
                  });
}

}  // namespace antler::runtime
