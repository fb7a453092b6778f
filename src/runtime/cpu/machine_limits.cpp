#include <algorithm>
#include <cstdint>
#include <vector>

#include "antler/runtime/config.h"
#include "antler/runtime/profiler.h"
#include "base/clock.h"
#include "runtime/cpu/gemm/micro_kernel.h"
#include "runtime/cpu/parallel.h"

namespace antler {
namespace {

constexpr int kRepeats = 5;

/// FLOP/s of the GEMM micro-kernel on operands in L1.
double measure_flops(int threads) {
  const runtime::MicroKernels<float>& micro = runtime::micro_kernels<float>();
  constexpr int64_t kDepth = 128;
  constexpr int64_t kCalls = 4000;
  const int64_t rows = micro.rows;
  const int64_t columns = micro.columns();
  double best = 0;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const double start = steady_seconds();
    runtime::parallel_ranges(threads, threads, [&](int64_t, int64_t) {
      const std::vector<float> a(static_cast<size_t>(rows * kDepth), 1.0F);
      const std::vector<float> b(static_cast<size_t>(columns * kDepth), 1.0F);
      std::vector<float> c(static_cast<size_t>(rows * columns));
      for (int64_t call = 0; call < kCalls; ++call) {
        micro.kernel(rows, columns)(kDepth, a.data(), 1, rows, b.data(), columns, c.data(), columns,
                                    columns, false);
      }
    });
    const double seconds = steady_seconds() - start;
    best = std::max(
        best, 2.0 * static_cast<double>(rows * columns * kDepth * kCalls * threads) / seconds);
  }
  return best;
}

/// STREAM triad: a[i] = b[i] + s * c[i] on arrays larger than the caches.
double measure_bytes(int threads) {
  constexpr int64_t kCount = 8 << 20;
  std::vector<float> a(kCount, 1.0F);
  const std::vector<float> b(kCount, 2.0F);
  const std::vector<float> c(kCount, 3.0F);
  double best = 0;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const double start = steady_seconds();
    runtime::parallel_ranges(threads, kCount, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        a[static_cast<size_t>(i)] = b[static_cast<size_t>(i)] + 0.5F * c[static_cast<size_t>(i)];
      }
    });
    best = std::max(best, 3.0 * sizeof(float) * kCount / (steady_seconds() - start));
  }
  return best;
}

}  // namespace

MachineLimits measure_machine_limits() {
  const int threads = config::threads();
  return {measure_flops(threads), measure_bytes(threads)};
}

}  // namespace antler
