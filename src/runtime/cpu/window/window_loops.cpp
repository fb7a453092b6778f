#include "runtime/cpu/window/window_loops.h"

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "antler/core/half.h"
#include "runtime/cpu/simd.h"
#include "runtime/cpu/window/relu_pool_avx512.h"

namespace antler::runtime {
namespace {

// Bytes of a vector: one AVX2 register, two SSE registers.
constexpr int kBytes = 32;

template <class T>
struct Lanes {
  using Number = T;  // compute type
  // gcc ignores the attributes of an alias of a type that depends on T.
  // NOLINTBEGIN(modernize-use-using)
  typedef T Vector __attribute__((vector_size(kBytes)));
  typedef T Memory __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
  using Index = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  typedef Index Indices __attribute__((vector_size(kBytes)));
  // NOLINTEND(modernize-use-using)
  static constexpr int64_t kCount = kBytes / sizeof(T);

  static ANTLER_INLINE Vector load(const T* from) { return *reinterpret_cast<const Memory*>(from); }
  static ANTLER_INLINE void store(T* to, const Vector& value) {
    *reinterpret_cast<Memory*>(to) = value;
  }
};

/// Computed in float32 and rounded once.
template <>
struct Lanes<bfloat16> : Lanes<float> {
  using Halves __attribute__((vector_size(kBytes / 2), aligned(2), may_alias)) = uint16_t;
  using Words __attribute__((vector_size(kBytes), may_alias)) = uint32_t;

  static ANTLER_INLINE Vector load(const bfloat16* from) {
    const Words words = __builtin_convertvector(*reinterpret_cast<const Halves*>(from), Words)
                        << 16;
    return std::bit_cast<Vector>(words);
  }
  static ANTLER_INLINE void store(bfloat16* to, const Vector& value) {
    const Words words = std::bit_cast<Words>(value);
    const Words rounded = words + (0x7fffU + ((words >> 16) & 1U));
    const Words quiet = words | 0x400000U;
    *reinterpret_cast<Halves*>(to) =
        __builtin_convertvector((value != value ? quiet : rounded) >> 16, Halves);
  }
};

template <class T, WindowReduction reduction>
constexpr T identity() {
  using Limits = std::numeric_limits<T>;
  if constexpr (reduction == WindowReduction::sum) return T(0);
  if constexpr (reduction == WindowReduction::prod) return T(1);
  if constexpr (reduction == WindowReduction::max) {
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  return Limits::has_infinity ? Limits::infinity() : Limits::max();
}

/// V: scalar or vector.
template <WindowReduction reduction, class V>
ANTLER_INLINE void combine(V& a, const V& b) {
  if constexpr (reduction == WindowReduction::sum) a += b;
  if constexpr (reduction == WindowReduction::prod) a *= b;
  if constexpr (reduction == WindowReduction::max) a = ((b > a) | (b != b)) ? b : a;
  if constexpr (reduction == WindowReduction::min) a = ((b < a) | (b != b)) ? b : a;
}

template <class T, WindowReduction reduction>
ANTLER_INLINE void reduce(const T* x, const int64_t* offsets, int64_t taps, T* out,
                          int64_t channels) {
  using L = Lanes<T>;
  using Vector = typename L::Vector;
  using Number = typename L::Number;
  constexpr int64_t kCount = Lanes<T>::kCount;
  constexpr Number kIdentity = identity<Number, reduction>();
  int64_t c = 0;
  for (; c + 2 * kCount <= channels; c += 2 * kCount) {
    Vector a = Vector{} + kIdentity;
    Vector b = a;
    for (int64_t t = 0; t < taps; ++t) {
      const T* tap = x + offsets[t] + c;
      combine<reduction>(a, L::load(tap));
      combine<reduction>(b, L::load(tap + kCount));
    }
    L::store(out + c, a);
    L::store(out + c + kCount, b);
  }
  for (; c + kCount <= channels; c += kCount) {
    Vector a = Vector{} + kIdentity;
    for (int64_t t = 0; t < taps; ++t) {
      combine<reduction>(a, L::load(x + offsets[t] + c));
    }
    L::store(out + c, a);
  }
  for (; c < channels; ++c) {
    Number a = kIdentity;
    for (int64_t t = 0; t < taps; ++t) {
      combine<reduction>(a, static_cast<Number>(x[offsets[t] + c]));
    }
    out[c] = T(a);
  }
}

template <class T, bool largest, bool adds>
ANTLER_INLINE void select(const T* x, const int64_t* offsets, int64_t taps, const T* dy, T* dx,
                          int64_t channels) {
  using L = Lanes<T>;
  using Vector = typename L::Vector;
  using Indices = typename L::Indices;
  using Index = typename L::Index;
  using Number = typename L::Number;
  constexpr int64_t kCount = L::kCount;
  if (taps == 0) return;
  int64_t c = 0;
  for (; c + kCount <= channels; c += kCount) {
    Vector best = L::load(x + offsets[0] + c);
    Indices at = {};
    for (int64_t t = 1; t < taps; ++t) {
      const Vector value = L::load(x + offsets[t] + c);
      const Indices better = largest ? value > best : value < best;
      best = better ? value : best;
      at = better ? Indices{} + static_cast<Index>(t) : at;
    }
    const Vector grad = L::load(dy + c);
    for (int64_t t = 0; t < taps; ++t) {
      T* to = dx + offsets[t] + c;
      const Vector part = at == static_cast<Index>(t) ? grad : Vector{};
      L::store(to, adds ? L::load(to) + part : part);
    }
  }
  for (; c < channels; ++c) {
    Number best = x[offsets[0] + c];
    int64_t at = 0;
    for (int64_t t = 1; t < taps; ++t) {
      const Number value = x[offsets[t] + c];
      if (largest ? value > best : value < best) {
        best = value;
        at = t;
      }
    }
    for (int64_t t = 0; t < taps; ++t) {
      const Number part = t == at ? static_cast<Number>(dy[c]) : Number(0);
      T& to = dx[offsets[t] + c];
      to = T(adds ? static_cast<Number>(to) + part : part);
    }
  }
}

// The common cases are compiled once per vector extension, the others for the baseline only.
using enum WindowReduction;
ANTLER_CLONES void sum_floats(const float* x, const int64_t* o, int64_t n, float* out, int64_t c) {
  reduce<float, sum>(x, o, n, out, c);
}
ANTLER_CLONES void prod_floats(const float* x, const int64_t* o, int64_t n, float* out, int64_t c) {
  reduce<float, prod>(x, o, n, out, c);
}
ANTLER_CLONES void max_floats(const float* x, const int64_t* o, int64_t n, float* out, int64_t c) {
  reduce<float, max>(x, o, n, out, c);
}
ANTLER_CLONES void min_floats(const float* x, const int64_t* o, int64_t n, float* out, int64_t c) {
  reduce<float, min>(x, o, n, out, c);
}
ANTLER_CLONES void max_select(const float* x, const int64_t* o, int64_t n, const float* dy,
                              float* dx, int64_t c) {
  select<float, true, false>(x, o, n, dy, dx, c);
}
ANTLER_CLONES void max_select_add(const float* x, const int64_t* o, int64_t n, const float* dy,
                                  float* dx, int64_t c) {
  select<float, true, true>(x, o, n, dy, dx, c);
}

ANTLER_CLONES void sum_halves(const bfloat16* x, const int64_t* o, int64_t n, bfloat16* out,
                              int64_t c) {
  reduce<bfloat16, sum>(x, o, n, out, c);
}
ANTLER_CLONES void max_halves(const bfloat16* x, const int64_t* o, int64_t n, bfloat16* out,
                              int64_t c) {
  reduce<bfloat16, max>(x, o, n, out, c);
}
ANTLER_CLONES void max_select_halves(const bfloat16* x, const int64_t* o, int64_t n,
                                     const bfloat16* dy, bfloat16* dx, int64_t c) {
  select<bfloat16, true, false>(x, o, n, dy, dx, c);
}

template <class T, WindowReduction reduction>
void reduce_any(const T* x, const int64_t* offsets, int64_t taps, T* out, int64_t channels) {
  reduce<T, reduction>(x, offsets, taps, out, channels);
}
template <class T, bool largest, bool adds>
void select_any(const T* x, const int64_t* offsets, int64_t taps, const T* dy, T* dx,
                int64_t channels) {
  select<T, largest, adds>(x, offsets, taps, dy, dx, channels);
}

ANTLER_INLINE void relu_pool_window(const WindowRun& run, const float* x, const float* bias,
                                    float* out, uint8_t* index) {
  const auto& [offsets, taps, windows, step, channels] = run;
  using L = Lanes<float>;
  using Vector = L::Vector;
  using Indices = L::Indices;
  using Bytes __attribute__((vector_size(L::kCount), aligned(1), may_alias)) = uint8_t;
  int64_t c = 0;
  for (; c + L::kCount <= channels; c += L::kCount) {
    const Vector b = L::load(bias + c);
    Vector best = L::load(x + offsets[0] + c) + b;
    best = best <= 0.0F ? Vector{} : best;  // keeps NaN
    Indices at = {};
    for (int64_t t = 1; t < taps; ++t) {
      const Vector value = L::load(x + offsets[t] + c) + b;
      const Indices better = (value > best) | (value != value);
      best = better ? value : best;
      at = better ? Indices{} + static_cast<int32_t>(t) : at;
    }
    L::store(out + c, best);
    if (index != nullptr) *reinterpret_cast<Bytes*>(index + c) = __builtin_convertvector(at, Bytes);
  }
  for (; c < channels; ++c) {
    float best = 0;
    int64_t at = 0;
    for (int64_t t = 0; t < taps; ++t) {
      const float value = x[offsets[t] + c] + bias[c];
      if (value > best || std::isnan(value)) {
        best = value;
        at = t;
      }
    }
    out[c] = best;
    if (index != nullptr) index[c] = static_cast<uint8_t>(at);
  }
}

ANTLER_CLONES void relu_pool_lanes(const WindowRun& run, const float* x, const float* bias,
                                   float* out, uint8_t* index) {
  for (int64_t w = 0; w < run.windows; ++w) {
    relu_pool_window(run, x + w * run.step, bias, out + w * run.channels,
                     index == nullptr ? nullptr : index + w * run.channels);
  }
}

ANTLER_INLINE void pool_scatter_window(const WindowRun& run, const uint8_t* index, const float* dy,
                                       float* dx) {
  const auto& [offsets, taps, windows, step, channels] = run;
  using L = Lanes<float>;
  using Vector = L::Vector;
  using Indices = L::Indices;
  using Bytes __attribute__((vector_size(L::kCount), aligned(1), may_alias)) = uint8_t;
  int64_t c = 0;
  for (; c + L::kCount <= channels; c += L::kCount) {
    const Indices at = __builtin_convertvector(*reinterpret_cast<const Bytes*>(index + c), Indices);
    const Vector grad = L::load(dy + c);
    for (int64_t t = 0; t < taps; ++t) {
      L::store(dx + offsets[t] + c, at == static_cast<int32_t>(t) ? grad : Vector{});
    }
  }
  for (; c < channels; ++c) {
    for (int64_t t = 0; t < taps; ++t) dx[offsets[t] + c] = index[c] == t ? dy[c] : 0.0F;
  }
}

ANTLER_CLONES void pool_scatter_lanes(const WindowRun& run, const uint8_t* index, const float* dy,
                                      float* dx) {
  for (int64_t w = 0; w < run.windows; ++w) {
    pool_scatter_window(run, index + w * run.channels, dy + w * run.channels, dx + w * run.step);
  }
}

}  // namespace

void relu_pool_loop(const WindowRun& run, const float* x, const float* bias, float* out,
                    uint8_t* index) {
#ifdef ANTLER_HAS_AVX512_LOOPS
  if (avx512::available()) return avx512::relu_pool(run, x, bias, out, index);
#endif
  relu_pool_lanes(run, x, bias, out, index);
}

void pool_scatter_loop(const WindowRun& run, const uint8_t* index, const float* dy, float* dx) {
#ifdef ANTLER_HAS_AVX512_LOOPS
  if (avx512::available()) return avx512::pool_scatter(run, index, dy, dx);
#endif
  pool_scatter_lanes(run, index, dy, dx);
}

template <class T>
ReduceWindowLoop<T> reduce_window_loop(WindowReduction reduction) {
  if constexpr (std::is_same_v<T, bfloat16>) {
    if (reduction == sum) return sum_halves;
    if (reduction == max) return max_halves;
  }
  if constexpr (std::is_same_v<T, float>) {
    switch (reduction) {
      case sum:
        return sum_floats;
      case prod:
        return prod_floats;
      case max:
        return max_floats;
      case min:
        break;
    }
    return min_floats;
  } else {
    switch (reduction) {
      case sum:
        return reduce_any<T, sum>;
      case prod:
        return reduce_any<T, prod>;
      case max:
        return reduce_any<T, max>;
      case min:
        break;
    }
    return reduce_any<T, min>;
  }
}

template <class T>
SelectWindowLoop<T> select_window_loop(bool largest, bool adds) {
  if constexpr (std::is_same_v<T, bfloat16>) {
    if (largest && !adds) return max_select_halves;
  }
  if constexpr (std::is_same_v<T, float>) {
    if (largest) return adds ? max_select_add : max_select;
  }
  if (largest) return adds ? select_any<T, true, true> : select_any<T, true, false>;
  return adds ? select_any<T, false, true> : select_any<T, false, false>;
}

template ReduceWindowLoop<float> reduce_window_loop<float>(WindowReduction);
template ReduceWindowLoop<bfloat16> reduce_window_loop<bfloat16>(WindowReduction);
template ReduceWindowLoop<double> reduce_window_loop<double>(WindowReduction);
template ReduceWindowLoop<int32_t> reduce_window_loop<int32_t>(WindowReduction);
template ReduceWindowLoop<int64_t> reduce_window_loop<int64_t>(WindowReduction);
template SelectWindowLoop<float> select_window_loop<float>(bool, bool);
template SelectWindowLoop<bfloat16> select_window_loop<bfloat16>(bool, bool);
template SelectWindowLoop<double> select_window_loop<double>(bool, bool);

}  // namespace antler::runtime
