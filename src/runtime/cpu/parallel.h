#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime/cpu/team.h"

/// Parallel loops of library kernels. Waking a spinning thread takes up to 2 us, a sleeping one
/// longer, so small kernels run on fewer threads.
namespace antler::runtime {

inline constexpr int64_t kBytesPerThread = 32 << 10;
inline constexpr int64_t kWorkPerThread = 64 << 10;  // multiply-adds

/// The number of threads for a kernel that moves `bytes` bytes.
inline int threads_for_bytes(int threads, int64_t bytes) {
  return static_cast<int>(std::clamp<int64_t>(bytes / kBytesPerThread, 1, threads));
}

/// The number of threads for a kernel with this many multiply-adds.
inline int threads_for_work(int threads, int64_t work) {
  return static_cast<int>(std::clamp<int64_t>(work / kWorkPerThread, 1, threads));
}

/// Static schedule: calls body(begin, end) or body(begin, end, worker) on equal parts of
/// [0, count), one per thread; worker < threads.
template <class Body>
void parallel_ranges(int threads, int64_t count, const Body& body) {
  const auto call = [&](int64_t begin, int64_t end, int worker) {
    if constexpr (std::is_invocable_v<Body, int64_t, int64_t, int>) {
      body(begin, end, worker);
    } else {
      body(begin, end);
    }
  };
  const int parts = static_cast<int>(std::min<int64_t>(threads, count));
  if (parts <= 1) {
    if (count > 0) call(0, count, 0);
    return;
  }
  Team::run(parts, [&](int part) { call(count * part / parts, count * (part + 1) / parts, part); });
}

/// Work stealing: calls body(i, worker) for each i in [0, count); worker < threads. Each thread
/// does its own range first, the same one each time, and then steals from the others. For tasks of
/// uneven cost and for cores shared with other programs.
template <class Body>
void parallel_each(int threads, int64_t count, const Body& body) {
  const int team = static_cast<int>(std::min<int64_t>(threads, count));
  if (team <= 1) {
    for (int64_t i = 0; i < count; ++i) body(i, 0);
    return;
  }
  // One task each: nothing to steal.
  if (team == count) return Team::run(team, [&](int part) { body(part, part); });
  constexpr int kMaxRanges = 64;
  struct alignas(64) Range {
    std::atomic<int64_t> next;
  };
  std::array<Range, kMaxRanges> ranges;
  const int range_count = std::min(team, kMaxRanges);
  const auto begin_of = [&](int range) { return count * range / range_count; };
  for (int i = 0; i < range_count; ++i) {
    ranges[static_cast<size_t>(i)].next.store(begin_of(i), std::memory_order_relaxed);
  }
  Team::run(team, [&](int worker) {
    for (int turn = 0; turn < range_count; ++turn) {
      const int range = (worker + turn) % range_count;
      std::atomic<int64_t>& next = ranges[static_cast<size_t>(range)].next;
      const int64_t end = begin_of(range + 1);
      for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < end;) body(i, worker);
    }
  });
}

}  // namespace antler::runtime
