#pragma once

#include <cstdint>

namespace antler {

/// A loop body over a part [begin, end) of a range.
using RangeBody = void (*)(void* context, int64_t begin, int64_t end);
/// Calls the body on parts of [0, count) that together cover it, perhaps on several threads, and
/// returns when all are done.
using RangeRunner = void (*)(int64_t count, RangeBody body, void* context);

/// Sets the runner of run_ranges(). The default makes one call, on the calling thread. The runtime
/// installs its threads here, so that lower layers do not need a thread pool.
void set_range_runner(RangeRunner runner);
RangeRunner range_runner();

/// Calls `body(begin, end)` on parts of [0, count). Allocates nothing.
template <class Body>
void run_ranges(int64_t count, Body body) {
  range_runner()(
      count,
      [](void* context, int64_t begin, int64_t end) { (*static_cast<Body*>(context))(begin, end); },
      &body);
}

}  // namespace antler
