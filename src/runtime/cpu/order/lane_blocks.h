#pragma once

#include <algorithm>
#include <cstdint>

#include "ops/numpy/reductions/lanes.h"
#include "runtime/cpu/parallel.h"

namespace antler::runtime {

/// Lanes that lie side by side are walked together, so that memory is read in order.
inline constexpr int64_t kLaneBlock = 16;

/// Calls body(offset of the first lane's first element, lanes of the block, number of the first
/// lane, worker) for blocks of at most kLaneBlock neighbouring lanes.
template <class Body>
void for_each_lane_block(const ops::Lanes& lanes, int64_t bytes, int threads, const Body& body) {
  const int64_t blocks = (lanes.inner + kLaneBlock - 1) / kLaneBlock;
  parallel_ranges(threads_for(threads, bytes), lanes.outer * blocks,
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
