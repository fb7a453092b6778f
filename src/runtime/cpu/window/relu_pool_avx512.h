#pragma once

#include <cstdint>

#if defined(__x86_64__) && defined(__GNUC__)
#define ANTLER_HAS_AVX512_LOOPS 1
#endif

/// relu_pool_loop() and pool_scatter_loop() in sixteen lanes: compilers make neither masks nor the
/// change between numbers of 32 and 8 bits of vector types.
namespace antler::runtime::avx512 {

/// Whether the CPU has what they use.
bool available();
void relu_pool(const float* x, const int64_t* offsets, int64_t taps, const float* bias, float* out,
               uint8_t* index, int64_t channels);
void pool_scatter(const uint8_t* index, const float* dy, const int64_t* offsets, int64_t taps,
                  float* dx, int64_t channels);

}  // namespace antler::runtime::avx512
