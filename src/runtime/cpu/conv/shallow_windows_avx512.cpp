#include "runtime/cpu/conv/shallow_windows_avx512.h"

#ifdef ANTLER_HAS_AVX512_LOOPS

#include <immintrin.h>

#include <array>
#include <cstddef>
#include <limits>
#include <utility>

#include "base/ceil_div.h"
#include "runtime/cpu/simd.h"

#define ANTLER_AVX512 __attribute__((target("avx512f")))

namespace antler::runtime::avx512 {
namespace {

constexpr int kPixels = 4;
// Three windows of four pixels and two vectors use 24 of the 32 registers as accumulators, enough
// to hide the FMA latency.
constexpr int kMaxWindows = 3;
// Steps whose filter gradients are in registers at a time.
constexpr int kMaxSteps = 10;
// GCC 12 warns about uninitialized values in its unmasked intrinsics.
constexpr __mmask16 kAll = 0xffff;

struct Pooled {
  const float* weights;
  const float* bias;
  float* pooled;
  uint8_t* index;
};

/// Computes `windows` adjacent windows from `first` on, `vectors` vectors of channels from
/// `channel` on.
template <int windows, int vectors, bool with_index>
ANTLER_AVX512 void some_windows(const ShallowRow& row, const Pooled& to, int64_t first,
                                int64_t channel) {
  __m512 sums[windows][kPixels][vectors];
#pragma GCC unroll 2
  for (int v = 0; v < vectors; ++v) {
    const __m512 bias = _mm512_loadu_ps(to.bias + channel + v * kShallowLanes);
#pragma GCC unroll 3
    for (int w = 0; w < windows; ++w) {
#pragma GCC unroll 4
      for (int i = 0; i < kPixels; ++i) sums[w][i][v] = bias;
    }
  }
  const int64_t step = row.column_step;
  const float* const x = row.x + 2 * first * step;
  const float* weights = to.weights + channel;
  for (int64_t s = 0; s < row.steps; ++s) {
    __m512 b[vectors];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) b[v] = _mm512_loadu_ps(weights + v * kShallowLanes);
    const float* const top = x + row.offsets[s];
    const float* const bottom = top + row.row_step;
#pragma GCC unroll 3
    for (int w = 0; w < windows; ++w) {
      // GCC 12 miscompiles an index of `i % 2` here under -fsanitize=undefined.
      const int64_t left = int64_t{2} * w * step;
      const float* const pixels[kPixels] = {top + left, top + left + step, bottom + left,
                                            bottom + left + step};
#pragma GCC unroll 4
      for (int i = 0; i < kPixels; ++i) {
        const __m512 a = _mm512_set1_ps(*pixels[i]);
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
      const int64_t at = (first + w) * row.channels + channel + v * kShallowLanes;
      // vmaxps returns its second operand if either is NaN, so this relu keeps NaN.
      __m512 best = _mm512_maskz_max_ps(kAll, _mm512_setzero_ps(), sums[w][0][v]);
      __m512i pixel = _mm512_setzero_si512();
#pragma GCC unroll 3
      for (int i = 1; i < kPixels; ++i) {
        if (with_index) {
          const __mmask16 better = _mm512_cmp_ps_mask(sums[w][i][v], best, _CMP_GT_OQ);
          pixel = _mm512_mask_mov_epi32(pixel, better, _mm512_set1_epi32(i));
        }
        best = _mm512_maskz_max_ps(kAll, sums[w][i][v], best);
      }
      // One NaN makes the maximum NaN.
      static_assert(kPixels == 4);
      const __mmask16 nan = _mm512_cmp_ps_mask(sums[w][0][v], sums[w][1][v], _CMP_UNORD_Q) |
                            _mm512_cmp_ps_mask(sums[w][2][v], sums[w][3][v], _CMP_UNORD_Q);
      best = _mm512_mask_mov_ps(best, nan, _mm512_set1_ps(std::numeric_limits<float>::quiet_NaN()));
      _mm512_storeu_ps(to.pooled + at, best);
      if (with_index) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to.index + at),
                         _mm512_maskz_cvtepi32_epi8(kAll, pixel));
      }
    }
  }
}

template <int vectors, bool with_index>
ANTLER_AVX512 void windows_of(const ShallowRow& row, const Pooled& to, int64_t channel) {
  int64_t w = 0;
  for (; w + kMaxWindows <= row.windows; w += kMaxWindows) {
    some_windows<kMaxWindows, vectors, with_index>(row, to, w, channel);
  }
  if (row.windows - w == 2) some_windows<2, vectors, with_index>(row, to, w, channel);
  if (row.windows - w == 1) some_windows<1, vectors, with_index>(row, to, w, channel);
}

struct Grads {
  const uint8_t* index;
  const float* dy;
  float* sums;
};

/// The filter gradients of `steps` steps from `first` on.
template <int steps, int vectors>
ANTLER_AVX512 void some_products(const ShallowRow& row, const Grads& grads, int64_t first,
                                 int64_t channel) {
  __m512 sums[steps][vectors];
  float* const to = grads.sums + first * row.channels + channel;
#pragma GCC unroll 10
  for (int s = 0; s < steps; ++s) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      sums[s][v] = _mm512_loadu_ps(to + s * row.channels + v * kShallowLanes);
    }
  }
  const int64_t* const offsets = row.offsets + first;
  for (int64_t w = 0; w < row.windows; ++w) {
    __m512 dy[vectors];
    __m512i pixel[vectors];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      const int64_t at = w * row.channels + channel + v * kShallowLanes;
      dy[v] = _mm512_loadu_ps(grads.dy + at);
      pixel[v] = _mm512_maskz_cvtepu8_epi32(
          kAll, _mm_loadu_si128(reinterpret_cast<const __m128i*>(grads.index + at)));
    }
    const float* const top = row.x + 2 * w * row.column_step;
    const float* const bottom = top + row.row_step;
    const float* const pixels[kPixels] = {top, top + row.column_step, bottom,
                                          bottom + row.column_step};
#pragma GCC unroll 4
    for (int i = 0; i < kPixels; ++i) {
      __m512 own[vectors];
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        own[v] =
            _mm512_maskz_mov_ps(_mm512_cmpeq_epi32_mask(pixel[v], _mm512_set1_epi32(i)), dy[v]);
      }
#pragma GCC unroll 10
      for (int s = 0; s < steps; ++s) {
        const __m512 a = _mm512_set1_ps(pixels[i][offsets[s]]);
#pragma GCC unroll 2
        for (int v = 0; v < vectors; ++v) sums[s][v] = _mm512_fmadd_ps(a, own[v], sums[s][v]);
      }
    }
  }
#pragma GCC unroll 10
  for (int s = 0; s < steps; ++s) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      _mm512_storeu_ps(to + s * row.channels + v * kShallowLanes, sums[s][v]);
    }
  }
}

using SomeProducts = void (*)(const ShallowRow&, const Grads&, int64_t, int64_t);

template <int vectors, size_t... steps>
constexpr std::array<SomeProducts, kMaxSteps> products_by_steps(std::index_sequence<steps...>) {
  return {some_products<static_cast<int>(steps) + 1, vectors>...};
}

template <int vectors>
void products_of(const ShallowRow& row, const Grads& grads, int64_t channel) {
  static constexpr auto kBySteps =
      products_by_steps<vectors>(std::make_index_sequence<kMaxSteps>());
  const int64_t blocks = ceil_div(row.steps, kMaxSteps);
  for (int64_t i = 0; i < blocks; ++i) {
    const int64_t first = row.steps * i / blocks;
    const int64_t count = row.steps * (i + 1) / blocks - first;
    kBySteps[static_cast<size_t>(count - 1)](row, grads, first, channel);
  }
}

/// Calls two(channel) for each pair of vectors of channels, and one(channel) if one vector remains.
template <class Two, class One>
void for_each_channels(const ShallowRow& row, const Two& two, const One& one) {
  int64_t channel = 0;
  for (; channel + 2 * kShallowLanes <= row.channels; channel += 2 * kShallowLanes) two(channel);
  if (channel < row.channels) one(channel);
}

}  // namespace

void shallow_windows(const ShallowRow& row, const float* weights, const float* bias, float* pooled,
                     uint8_t* index) {
  const Pooled to = {weights, bias, pooled, index};
  if (index == nullptr) {
    return for_each_channels(
        row, [&](int64_t c) { windows_of<2, false>(row, to, c); },
        [&](int64_t c) { windows_of<1, false>(row, to, c); });
  }
  for_each_channels(
      row, [&](int64_t c) { windows_of<2, true>(row, to, c); },
      [&](int64_t c) { windows_of<1, true>(row, to, c); });
}

void add_shallow_products(const ShallowRow& row, const uint8_t* index, const float* dy,
                          float* sums) {
  const Grads grads = {index, dy, sums};
  for_each_channels(
      row, [&](int64_t c) { products_of<2>(row, grads, c); },
      [&](int64_t c) { products_of<1>(row, grads, c); });
}

}  // namespace antler::runtime::avx512

#else

#include "antler/base/error.h"

// Never called: ShallowGeometry::accepts() returns false.
namespace antler::runtime::avx512 {

void shallow_windows(const ShallowRow&, const float*, const float*, float*, uint8_t*) {
  throw InternalError("this architecture has no AVX-512");
}

void add_shallow_products(const ShallowRow&, const uint8_t*, const float*, float*) {
  throw InternalError("this architecture has no AVX-512");
}

}  // namespace antler::runtime::avx512

#endif
