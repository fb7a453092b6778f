#pragma once

#include <cstdint>

#include "runtime/cpu/window/window_loops.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define ANTLER_HAS_AVX512_LOOPS 1
#endif

/// relu_pool_loop() and pool_scatter_loop() in sixteen lanes: compilers make neither masks nor the
/// change between numbers of 32 and 8 bits of vector types.
namespace antler::runtime::avx512 {

/// Whether the CPU has what they use.
bool available();
void relu_pool(const WindowRun& run, const float* x, const float* bias, float* out, uint8_t* index);
void pool_scatter(const WindowRun& run, const uint8_t* index, const float* dy, float* dx);

}  // namespace antler::runtime::avx512
