#pragma once

#include <cstdint>

/// The innermost loops of pooling, over the channels of one window. Tap i of the window is at
/// x[offsets[i]]. T: float, double, bfloat16 (summed as float), int32_t,
/// int64_t.
namespace antler::runtime {

enum class WindowReduction { sum, prod, max, min };

/// out[c] = reduction over all taps of x[offset + c]; the identity for no taps. A NaN stays.
template <class T>
using ReduceWindowLoop = void (*)(const T* x, const int64_t* offsets, int64_t taps, T* out,
                                  int64_t channels);
template <class T>
ReduceWindowLoop<T> reduce_window_loop(WindowReduction reduction);

/// dx[offset + c] = dy[c] for the first tap that has the largest (smallest) x, 0 for the others;
/// `adds`: added to what is there.
template <class T>
using SelectWindowLoop = void (*)(const T* x, const int64_t* offsets, int64_t taps, const T* dy,
                                  T* dx, int64_t channels);
template <class T>
SelectWindowLoop<T> select_window_loop(bool largest, bool adds);

/// Windows side by side that have the same taps.
struct WindowRun {
  const int64_t* offsets;
  int64_t taps;
  int64_t windows;
  int64_t step;  ///< elements of x from one window to the next; of the results it is `channels`
  int64_t channels;
};

/// The largest relu(x + bias) of each window and, unless `index` is null, which tap it is, the
/// first of equal ones.
void relu_pool_loop(const WindowRun& run, const float* x, const float* bias, float* out,
                    uint8_t* index);
/// dx[offset + c] = dy[c] for the tap that the index names, 0 for the others.
void pool_scatter_loop(const WindowRun& run, const uint8_t* index, const float* dy, float* dx);

}  // namespace antler::runtime
