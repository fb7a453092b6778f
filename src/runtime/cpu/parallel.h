#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "runtime/cpu/team.h"

/// Loops of library kernels over threads. Waking the second thread costs up to 2 microseconds while
/// it waits busily, more when it sleeps: below so many bytes of traffic or multiply-adds one thread
/// is faster.
namespace antler::runtime {

inline constexpr int64_t kParallelBytes = 64 << 10;
inline constexpr int64_t kParallelWork = 64 << 10;

/// Threads for a kernel that moves `bytes`.
inline int threads_for(int threads, int64_t bytes) {
  return static_cast<int>(std::clamp<int64_t>(bytes / (kParallelBytes / 2), 1, threads));
}

/// Threads for a kernel that does so many multiply-adds.
inline int threads_for_work(int threads, int64_t work) {
  return static_cast<int>(std::clamp<int64_t>(work / kParallelWork, 1, threads));
}

/// Calls body(begin, end) or body(begin, end, worker) on parts of [0, count), at most one per
/// thread; worker < threads numbers them. `count` may be 0.
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

/// Calls body(i, worker) for each i in [0, count); worker < threads numbers the thread. Each thread
/// begins with its own share, the same one each time, and then helps the others: for parts of
/// unequal cost and for cores that are shared with other programs.
template <class Body>
void parallel_each(int threads, int64_t count, const Body& body) {
  const int team = static_cast<int>(std::min<int64_t>(threads, count));
  if (team <= 1) {
    for (int64_t i = 0; i < count; ++i) body(i, 0);
    return;
  }
  // Nothing to even out.
  if (team == count) return Team::run(team, [&](int part) { body(part, part); });
  constexpr int kMostShares = 64;
  struct alignas(64) Share {
    std::atomic<int64_t> next;
  };
  std::array<Share, kMostShares> shares;
  const int count_of_shares = std::min(team, kMostShares);
  const auto begin_of = [&](int share) { return count * share / count_of_shares; };
  for (int i = 0; i < count_of_shares; ++i) {
    shares[static_cast<size_t>(i)].next.store(begin_of(i), std::memory_order_relaxed);
  }
  Team::run(team, [&](int worker) {
    for (int turn = 0; turn < count_of_shares; ++turn) {
      const int share = (worker + turn) % count_of_shares;
      std::atomic<int64_t>& next = shares[static_cast<size_t>(share)].next;
      const int64_t end = begin_of(share + 1);
      for (int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < end;) body(i, worker);
    }
  });
}

}  // namespace antler::runtime
