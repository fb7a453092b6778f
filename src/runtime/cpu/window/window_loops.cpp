#include "runtime/cpu/window/window_loops.h"

#include <limits>
#include <type_traits>

#include "runtime/cpu/simd.h"

namespace antler::runtime {
namespace {

// A register of the widest version; narrower ones take several.
constexpr int kBytes = 32;

template <class T>
struct Lanes {
  typedef T Vector __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
  using Index = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  typedef Index Indices __attribute__((vector_size(kBytes)));
  static constexpr int64_t kCount = kBytes / sizeof(T);
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

/// V: a number or a vector of numbers.
template <WindowReduction reduction, class V>
ANTLER_INLINE void combine(V& a, const V& b) {
  if constexpr (reduction == WindowReduction::sum) a += b;
  if constexpr (reduction == WindowReduction::prod) a *= b;
  if constexpr (reduction == WindowReduction::max) a = (b > a) | (b != b) ? b : a;
  if constexpr (reduction == WindowReduction::min) a = (b < a) | (b != b) ? b : a;
}

template <class T, WindowReduction reduction>
ANTLER_INLINE void reduce(const T* x, const int64_t* offsets, int64_t taps, T* out,
                          int64_t channels) {
  typedef typename Lanes<T>::Vector Vector;
  constexpr int64_t kCount = Lanes<T>::kCount;
  constexpr T kIdentity = identity<T, reduction>();
  int64_t c = 0;
  for (; c + 2 * kCount <= channels; c += 2 * kCount) {
    Vector a = Vector{} + kIdentity;
    Vector b = a;
    for (int64_t t = 0; t < taps; ++t) {
      const T* tap = x + offsets[t] + c;
      combine<reduction>(a, *reinterpret_cast<const Vector*>(tap));
      combine<reduction>(b, *reinterpret_cast<const Vector*>(tap + kCount));
    }
    *reinterpret_cast<Vector*>(out + c) = a;
    *reinterpret_cast<Vector*>(out + c + kCount) = b;
  }
  for (; c + kCount <= channels; c += kCount) {
    Vector a = Vector{} + kIdentity;
    for (int64_t t = 0; t < taps; ++t) {
      combine<reduction>(a, *reinterpret_cast<const Vector*>(x + offsets[t] + c));
    }
    *reinterpret_cast<Vector*>(out + c) = a;
  }
  for (; c < channels; ++c) {
    T a = kIdentity;
    for (int64_t t = 0; t < taps; ++t) combine<reduction>(a, x[offsets[t] + c]);
    out[c] = a;
  }
}

template <class T, bool largest, bool adds>
ANTLER_INLINE void select(const T* x, const int64_t* offsets, int64_t taps, const T* dy, T* dx,
                          int64_t channels) {
  typedef typename Lanes<T>::Vector Vector;
  typedef typename Lanes<T>::Indices Indices;
  using Index = typename Lanes<T>::Index;
  constexpr int64_t kCount = Lanes<T>::kCount;
  if (taps == 0) return;
  int64_t c = 0;
  for (; c + kCount <= channels; c += kCount) {
    Vector best = *reinterpret_cast<const Vector*>(x + offsets[0] + c);
    Indices at = {};
    for (int64_t t = 1; t < taps; ++t) {
      const Vector value = *reinterpret_cast<const Vector*>(x + offsets[t] + c);
      const Indices better = largest ? value > best : value < best;
      best = better ? value : best;
      at = better ? Indices{} + static_cast<Index>(t) : at;
    }
    const Vector grad = *reinterpret_cast<const Vector*>(dy + c);
    for (int64_t t = 0; t < taps; ++t) {
      Vector* to = reinterpret_cast<Vector*>(dx + offsets[t] + c);
      const Vector part = at == static_cast<Index>(t) ? grad : Vector{};
      *to = adds ? *to + part : part;
    }
  }
  for (; c < channels; ++c) {
    T best = x[offsets[0] + c];
    int64_t at = 0;
    for (int64_t t = 1; t < taps; ++t) {
      const T value = x[offsets[t] + c];
      if (largest ? value > best : value < best) {
        best = value;
        at = t;
      }
    }
    for (int64_t t = 0; t < taps; ++t) {
      const T part = t == at ? dy[c] : T(0);
      T& to = dx[offsets[t] + c];
      to = adds ? static_cast<T>(to + part) : part;
    }
  }
}

// float32 is what pools are made of; the other types share one version of the code.
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

template <class T, WindowReduction reduction>
void reduce_any(const T* x, const int64_t* offsets, int64_t taps, T* out, int64_t channels) {
  reduce<T, reduction>(x, offsets, taps, out, channels);
}
template <class T, bool largest, bool adds>
void select_any(const T* x, const int64_t* offsets, int64_t taps, const T* dy, T* dx,
                int64_t channels) {
  select<T, largest, adds>(x, offsets, taps, dy, dx, channels);
}

}  // namespace

template <class T>
ReduceWindowLoop<T> reduce_window_loop(WindowReduction reduction) {
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
  if constexpr (std::is_same_v<T, float>) {
    if (largest) return adds ? max_select_add : max_select;
  }
  if (largest) return adds ? select_any<T, true, true> : select_any<T, true, false>;
  return adds ? select_any<T, false, true> : select_any<T, false, false>;
}

template ReduceWindowLoop<float> reduce_window_loop<float>(WindowReduction);
template ReduceWindowLoop<double> reduce_window_loop<double>(WindowReduction);
template ReduceWindowLoop<int32_t> reduce_window_loop<int32_t>(WindowReduction);
template ReduceWindowLoop<int64_t> reduce_window_loop<int64_t>(WindowReduction);
template SelectWindowLoop<float> select_window_loop<float>(bool, bool);
template SelectWindowLoop<double> select_window_loop<double>(bool, bool);

}  // namespace antler::runtime
