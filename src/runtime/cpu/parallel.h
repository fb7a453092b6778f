#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

/// OpenMP loops of library kernels. Waking the second thread costs about 2 microseconds while the
/// team spins, more when it sleeps: below so many bytes of traffic or multiply-adds one thread is
/// faster.
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
#pragma omp parallel for num_threads(parts) schedule(static, 1)
  for (int part = 0; part < parts; ++part) {
    call(count * part / parts, count * (part + 1) / parts, part);
  }
}

/// Calls body(i, worker) for each i in [0, count); worker < threads names the thread. Free threads
/// take the next i, for parts of unequal cost and for cores that are shared with other programs.
template <class Body>
void parallel_each(int threads, int64_t count, const Body& body) {
  const int64_t team = std::min<int64_t>(threads, count);
  if (team <= 1) {
    for (int64_t i = 0; i < count; ++i) body(i, 0);
    return;
  }
  if (team == count) {
    // Nothing to even out: each thread finds the part that it had the last time in its own cache.
#pragma omp parallel for num_threads(static_cast <int>(team)) schedule(static, 1)
    for (int64_t i = 0; i < count; ++i) body(i, omp_get_thread_num());
    return;
  }
#pragma omp parallel for num_threads(static_cast <int>(team)) schedule(dynamic, 1)
  for (int64_t i = 0; i < count; ++i) body(i, omp_get_thread_num());
}

}  // namespace antler::runtime
