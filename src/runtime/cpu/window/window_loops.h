#pragma once

#include <cstdint>

/// The innermost loops of pooling, vectorized over channels. Tap i of a window is at x[offsets[i]].
/// T: float, double, bfloat16 (computed in float), int32_t, int64_t. oneDNN's pooling would open
/// OpenMP regions, which ends a Team, and would store a workspace for the gradient; here the
/// gradient finds the maximum again. Benchmarks: bottlenecks and unet of
/// tools/peers/bench_models.py, whose pools are not fused with a convolution.
namespace antler::runtime {

enum class WindowReduction { sum, prod, max, min };

/// out[c] = reduction of x[offset + c] over all taps; the identity if there are none. NaN
/// propagates.
template <class T>
using ReduceWindowLoop = void (*)(const T* x, const int64_t* offsets, int64_t taps, T* out,
                                  int64_t channels);
template <class T>
ReduceWindowLoop<T> reduce_window_loop(WindowReduction reduction);

/// dx[offset + c] = dy[c] for the first tap with the largest (smallest) x, 0 for the others; added
/// to dx if `adds`.
template <class T>
using SelectWindowLoop = void (*)(const T* x, const int64_t* offsets, int64_t taps, const T* dy,
                                  T* dx, int64_t channels);
template <class T>
SelectWindowLoop<T> select_window_loop(bool largest, bool adds);

/// Adjacent windows with the same taps.
struct WindowRun {
  const int64_t* offsets;
  int64_t taps;
  int64_t windows;
  int64_t step;  ///< elements of x from one window to the next
  int64_t channels;
};

/// out = max of relu(x + bias) over each window; index, unless null: the first tap with that value.
void relu_pool_loop(const WindowRun& run, const float* x, const float* bias, float* out,
                    uint8_t* index);
/// The gradient: dx[offset + c] = dy[c] for the tap index[c], 0 for the others.
void pool_scatter_loop(const WindowRun& run, const uint8_t* index, const float* dy, float* dx);

}  // namespace antler::runtime
