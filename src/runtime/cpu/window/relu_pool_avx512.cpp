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

/// Lanes below `count`.
ANTLER_AVX512 ANTLER_INLINE __mmask16 first_lanes(int64_t count) {
  return static_cast<__mmask16>((1U << std::min(count, kLanes)) - 1);
}

struct Chosen {
  __m512 value;
  __m512i tap;
};

/// The larger one, `a` of equal ones or where b is NaN.
ANTLER_AVX512 ANTLER_INLINE Chosen larger(const Chosen& a, const Chosen& b) {
  const __mmask16 better = _mm512_cmp_ps_mask(b.value, a.value, _CMP_GT_OQ);
  return {_mm512_mask_mov_ps(a.value, better, b.value),
          _mm512_mask_mov_epi32(a.tap, better, b.tap)};
}

ANTLER_AVX512 ANTLER_INLINE Chosen tap_of(__m512 value, int64_t tap) {
  return {value, _mm512_set1_epi32(static_cast<int>(tap))};
}

ANTLER_AVX512 ANTLER_INLINE __m512 relu(__m512 value, __mmask16 lanes) {
  return _mm512_maskz_max_ps(lanes, value, _mm512_setzero_ps());  // 0 for NaN
}

/// `run`: a copy, which stores of bytes cannot change.
template <bool kFourTaps>
ANTLER_AVX512 ANTLER_INLINE void relu_pool_of(const WindowRun run, const float* x,
                                              const float* bias, float* out, uint8_t* index) {
  const int64_t* const offsets = run.offsets;
  const int64_t four[] = {offsets[0], kFourTaps ? offsets[1] : 0, kFourTaps ? offsets[2] : 0,
                          kFourTaps ? offsets[3] : 0};
  for (int64_t c = 0; c < run.channels; c += kLanes) {
    const int64_t left = run.channels - c;
    const __mmask16 lanes = first_lanes(left);
    const __m512 b = _mm512_maskz_loadu_ps(lanes, bias + c);
    for (int64_t w = 0; w < run.windows; ++w) {
      const float* const from = x + w * run.step + c;
      const int64_t to = w * run.channels + c;
      const auto value = [&](int64_t offset) ANTLER_AVX512 {
        return _mm512_add_ps(_mm512_maskz_loadu_ps(lanes, from + offset), b);
      };
      Chosen best = tap_of(relu(value(four[0]), lanes), 0);
      if constexpr (kFourTaps) {
        // Two chains. What is not above 0 never wins.
        best = larger(best, tap_of(value(four[1]), 1));
        const Chosen third = tap_of(relu(value(four[2]), lanes), 2);
        best = larger(best, larger(third, tap_of(value(four[3]), 3)));
      } else {
        for (int64_t tap = 1; tap < run.taps; ++tap) {
          best = larger(best, tap_of(value(offsets[tap]), tap));
        }
      }
      _mm512_mask_storeu_ps(out + to, lanes, best.value);
      const __m128i bytes = _mm512_maskz_cvtepi32_epi8(lanes, best.tap);
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
  if (run.taps == 4) return relu_pool_of<true>(run, x, bias, out, index);
  relu_pool_of<false>(run, x, bias, out, index);
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
