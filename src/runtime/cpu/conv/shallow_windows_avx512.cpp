#include "runtime/cpu/conv/shallow_windows_avx512.h"

#ifdef ANTLER_HAS_AVX512_LOOPS

#include <immintrin.h>

#include "runtime/cpu/simd.h"

#define ANTLER_AVX512 __attribute__((target("avx512f")))

namespace antler::runtime::avx512 {
namespace {

// Three windows are twelve pixels: with two vectors each the sums fill three quarters of the
// registers, and a multiply-add waits for nothing.
constexpr int kMostWindows = 3;
constexpr int kPixels = 4;
constexpr __mmask16 kAll = 0xffff;  // gcc 12 warns of what its unmasked functions leave undefined

/// `windows` windows side by side, `vectors` vectors of channels from `channel` on.
template <int windows, int vectors, bool with_index>
ANTLER_AVX512 void some_windows(const ShallowRow& row, int64_t first, int64_t channel) {
  __m512 sums[windows][kPixels][vectors];
#pragma GCC unroll 2
  for (int v = 0; v < vectors; ++v) {
    const __m512 bias = _mm512_loadu_ps(row.bias + channel + v * kShallowLanes);
#pragma GCC unroll 3
    for (int w = 0; w < windows; ++w) {
#pragma GCC unroll 4
      for (int i = 0; i < kPixels; ++i) sums[w][i][v] = bias;
    }
  }
  const int64_t step = row.column_step;
  const float* const x = row.x + 2 * first * step;
  const float* weights = row.weights + channel;
  for (int64_t s = 0; s < row.steps; ++s) {
    __m512 b[vectors];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) b[v] = _mm512_loadu_ps(weights + v * kShallowLanes);
    const float* const top = x + row.offsets[s];
    const float* const bottom = top + row.row_step;
#pragma GCC unroll 3
    for (int w = 0; w < windows; ++w) {
#pragma GCC unroll 4
      for (int i = 0; i < kPixels; ++i) {
        const __m512 a = _mm512_set1_ps((i < 2 ? top : bottom)[(2 * w + i % 2) * step]);
#pragma GCC unroll 2
        for (int v = 0; v < vectors; ++v) sums[w][i][v] = _mm512_fmadd_ps(a, b[v], sums[w][i][v]);
      }
    }
    weights += row.channels;
  }
#pragma GCC unroll 3
  for (int w = 0; w < windows; ++w) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      const int64_t to = (first + w) * row.channels + channel + v * kShallowLanes;
      // NaN is never the larger one.
      __m512 best = _mm512_maskz_max_ps(kAll, sums[w][0][v], _mm512_setzero_ps());
      __m512i at = _mm512_setzero_si512();
#pragma GCC unroll 3
      for (int i = 1; i < kPixels; ++i) {
        if (with_index) {
          const __mmask16 better = _mm512_cmp_ps_mask(sums[w][i][v], best, _CMP_GT_OQ);
          at = _mm512_mask_mov_epi32(at, better, _mm512_set1_epi32(i));
        }
        best = _mm512_maskz_max_ps(kAll, sums[w][i][v], best);
      }
      _mm512_storeu_ps(row.pooled + to, best);
      if (with_index) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(row.index + to),
                         _mm512_maskz_cvtepi32_epi8(kAll, at));
      }
    }
  }
}

template <int vectors, bool with_index>
ANTLER_AVX512 void channels_of(const ShallowRow& row, int64_t channel) {
  int64_t w = 0;
  for (; w + kMostWindows <= row.windows; w += kMostWindows) {
    some_windows<kMostWindows, vectors, with_index>(row, w, channel);
  }
  if (row.windows - w == 2) some_windows<2, vectors, with_index>(row, w, channel);
  if (row.windows - w == 1) some_windows<1, vectors, with_index>(row, w, channel);
}

template <bool with_index>
ANTLER_AVX512 void all_channels(const ShallowRow& row) {
  int64_t channel = 0;
  for (; channel + 2 * kShallowLanes <= row.channels; channel += 2 * kShallowLanes) {
    channels_of<2, with_index>(row, channel);
  }
  if (channel < row.channels) channels_of<1, with_index>(row, channel);
}

}  // namespace

ANTLER_AVX512 void shallow_windows(const ShallowRow& row) {
  if (row.index == nullptr) return all_channels<false>(row);
  all_channels<true>(row);
}

}  // namespace antler::runtime::avx512

#endif
