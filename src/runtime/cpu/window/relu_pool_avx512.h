#pragma once

#include <cstdint>

#include "runtime/cpu/window/window_loops.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define ANTLER_HAS_AVX512_LOOPS 1
#endif

/// relu_pool_loop() and pool_scatter_loop() with AVX-512 intrinsics: GCC's vector types offer
/// neither masked loads and stores nor 32-bit to 8-bit conversions in one instruction. Benchmark:
/// cnn.
namespace antler::runtime::avx512 {

/// Whether the CPU has AVX-512.
bool available();
void relu_pool(const WindowRun& run, const float* x, const float* bias, float* out, uint8_t* index);
void pool_scatter(const WindowRun& run, const uint8_t* index, const float* dy, float* dx);

}  // namespace antler::runtime::avx512
