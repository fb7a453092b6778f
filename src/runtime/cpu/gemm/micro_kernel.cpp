#include "runtime/cpu/gemm/micro_kernel.h"

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/cpu/simd.h"

namespace antler::runtime {
namespace {

#define ANTLER_GEMM_TARGET
namespace baseline {
constexpr const char* kName = "gemm";
constexpr int kVectorBytes = 16;
constexpr int kRows = 4;
#include "runtime/cpu/gemm/micro_kernel.inc"
}  // namespace baseline
#undef ANTLER_GEMM_TARGET

#if defined(__x86_64__)
// 6 rows x 2 vectors: 12 of the 16 registers are accumulators, enough to hide the FMA latency.
#define ANTLER_GEMM_TARGET __attribute__((target("avx2,fma")))
namespace avx2 {
constexpr const char* kName = "gemm avx2";
constexpr int kVectorBytes = 32;
constexpr int kRows = 6;
#include "runtime/cpu/gemm/micro_kernel.inc"
}  // namespace avx2
#undef ANTLER_GEMM_TARGET

// 12 rows x 2 vectors: 24 of the 32 registers are accumulators.
#define ANTLER_GEMM_TARGET __attribute__((target("avx512f")))
namespace avx512 {
constexpr const char* kName = "gemm avx512";
constexpr int kVectorBytes = 64;
constexpr int kRows = 12;
#include "runtime/cpu/gemm/micro_kernel.inc"
}  // namespace avx512
#undef ANTLER_GEMM_TARGET
#endif

template <class T>
std::vector<const MicroKernels<T>*> runnable() {
  std::vector<const MicroKernels<T>*> kernels;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) kernels.push_back(&avx512::kKernels<T>);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    kernels.push_back(&avx2::kKernels<T>);
  }
#endif
  kernels.push_back(&baseline::kKernels<T>);
  return kernels;
}

}  // namespace

template <class T>
std::span<const MicroKernels<T>* const> all_micro_kernels() {
  static const std::vector<const MicroKernels<T>*> kernels = runnable<T>();
  return kernels;
}

template std::span<const MicroKernels<float>* const> all_micro_kernels<float>();
template std::span<const MicroKernels<double>* const> all_micro_kernels<double>();

}  // namespace antler::runtime
