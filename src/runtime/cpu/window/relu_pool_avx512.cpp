#include "runtime/cpu/window/relu_pool_avx512.h"

#ifdef ANTLER_HAS_AVX512_LOOPS

#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "runtime/cpu/simd.h"

#define ANTLER_AVX512 __attribute__((target("avx512f")))

namespace antler::runtime::avx512 {
namespace {

constexpr int64_t kLanes = 16;

/// Mask of the first `count` lanes.
ANTLER_AVX512 ANTLER_INLINE __mmask16 first_lanes(int64_t count) {
  return static_cast<__mmask16>((1U << std::min(count, kLanes)) - 1);
}

/// kTaps: number of taps, 0 if not known at compile time.
template <int kTaps, bool with_index>
ANTLER_AVX512 ANTLER_INLINE void relu_pool_of(const WindowRun& run, const float* x,
                                              const float* bias, float* out, uint8_t* index) {
  const int64_t taps = kTaps > 0 ? kTaps : run.taps;
  for (int64_t c = 0; c < run.channels; c += kLanes) {
    const int64_t left = run.channels - c;
    const __mmask16 lanes = first_lanes(left);
    const __m512 b = _mm512_maskz_loadu_ps(lanes, bias + c);
    for (int64_t w = 0; w < run.windows; ++w) {
      const float* const from = x + w * run.step + c;
      const int64_t to = w * run.channels + c;
      const auto value = [&](int64_t tap) ANTLER_AVX512 {
        return _mm512_add_ps(_mm512_maskz_loadu_ps(lanes, from + run.offsets[tap]), b);
      };
      // vmaxps returns its second operand if either is NaN, so this relu keeps NaN.
      __m512 best = _mm512_maskz_max_ps(lanes, _mm512_setzero_ps(), value(0));
      __m512i at = _mm512_setzero_si512();
#pragma GCC unroll 4
      for (int64_t tap = 1; tap < taps; ++tap) {
        const __m512 next = value(tap);
        const __mmask16 nan = _mm512_cmp_ps_mask(next, next, _CMP_UNORD_Q);
        if (!with_index) {
          best = _mm512_mask_mov_ps(_mm512_maskz_max_ps(lanes, next, best), nan, next);
          continue;
        }
        const __mmask16 better = nan | _mm512_cmp_ps_mask(next, best, _CMP_GT_OQ);
        best = _mm512_mask_mov_ps(best, better, next);
        at = _mm512_mask_mov_epi32(at, better, _mm512_set1_epi32(static_cast<int>(tap)));
      }
      _mm512_mask_storeu_ps(out + to, lanes, best);
      if (!with_index) continue;
      const __m128i bytes = _mm512_maskz_cvtepi32_epi8(lanes, at);
      if (left >= kLanes) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(index + to), bytes);
      } else {
        std::memcpy(index + to, &bytes, static_cast<size_t>(left));
      }
    }
  }
}

}  // namespace

bool available() {
  static const bool has = __builtin_cpu_supports("avx512f") != 0;
  return has;
}

ANTLER_AVX512 void relu_pool(const WindowRun& run, const float* x, const float* bias, float* out,
                             uint8_t* index) {
  if (index == nullptr) {
    if (run.taps == 4) return relu_pool_of<4, false>(run, x, bias, out, index);
    return relu_pool_of<0, false>(run, x, bias, out, index);
  }
  if (run.taps == 4) return relu_pool_of<4, true>(run, x, bias, out, index);
  relu_pool_of<0, true>(run, x, bias, out, index);
}

ANTLER_AVX512 void pool_scatter(const WindowRun& run, const uint8_t* index, const float* dy,
                                float* dx) {
  for (int64_t w = 0; w < run.windows; ++w) {
    for (int64_t c = 0; c < run.channels; c += kLanes) {
      const int64_t left = run.channels - c;
      const __mmask16 lanes = first_lanes(left);
      const int64_t from = w * run.channels + c;
      __m128i bytes = _mm_setzero_si128();
      if (left >= kLanes) {
        bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(index + from));
      } else {
        std::memcpy(&bytes, index + from, static_cast<size_t>(left));
      }
      const __m512i at = _mm512_maskz_cvtepu8_epi32(lanes, bytes);
      const __m512 grad = _mm512_maskz_loadu_ps(lanes, dy + from);
      float* const to = dx + w * run.step + c;
      for (int64_t tap = 0; tap < run.taps; ++tap) {
        const __mmask16 chosen =
            _mm512_cmpeq_epi32_mask(at, _mm512_set1_epi32(static_cast<int>(tap)));
        _mm512_mask_storeu_ps(to + run.offsets[tap], lanes, _mm512_maskz_mov_ps(chosen, grad));
      }
    }
  }
}

}  // namespace antler::runtime::avx512

#endif
