#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "antler/core/shape.h"
#include "antler/ir/attrs.h"
#include "base/ceil_div.h"
#include "runtime/cpu/window/window_loops.h"

namespace antler::runtime {

/// Windows over an array viewed as [batch, in0, in1, in2, channels]: leading and trailing
/// dimensions that are not windowed are merged.
struct WindowGeometry {
  struct Dim {
    int64_t in = 1;
    int64_t out = 1;
    int64_t window = 1;
    int64_t stride = 1;
    int64_t dilation = 1;
    int64_t low = 0;  ///< padding

    /// Taps [begin, end) of window `o` that are not padding.
    int64_t begin(int64_t o) const {
      const int64_t start = o * stride - low;
      return start >= 0 ? 0 : (-start + dilation - 1) / dilation;
    }
    int64_t end(int64_t o) const {
      const int64_t room = in - (o * stride - low);
      return room <= 0 ? 0 : std::min(window, ceil_div(room, dilation));
    }
    /// Whether windows do not overlap.
    bool is_disjoint() const { return out <= 1 || stride > (window - 1) * dilation; }
    /// Whether every element is in exactly one window.
    bool is_covered() const {
      return out >= 1 && dilation == 1 && (out == 1 || stride == window) && low >= 0 &&
             (out - 1) * stride + window - low >= in;
    }
  };
  int64_t batch = 1;
  int64_t channels = 1;
  std::array<Dim, 3> dims;

  int64_t taps() const { return dims[0].window * dims[1].window * dims[2].window; }
  /// Rows of windows in the whole array, and in one image.
  int64_t rows() const { return batch * rows_of_image(); }
  int64_t rows_of_image() const { return dims[0].out * dims[1].out; }
  int64_t in_image() const { return dims[0].in * dims[1].in * dims[2].in * channels; }

  /// nullopt if more than three dimensions are windowed. `attrs`: the attributes of the
  /// reduce_window.
  static std::optional<WindowGeometry> of(const Shape& x, const Shape& out, const ir::Attrs& attrs);

  /// Elements of x from one window to the next one in its row.
  int64_t window_step() const { return dims[2].stride * channels; }
  WindowRun run(const int64_t* offsets, int64_t count, int64_t windows) const {
    return {.offsets = offsets,
            .taps = count,
            .windows = windows,
            .step = window_step(),
            .channels = channels};
  }

  /// Calls f(first, offsets, taps, output, windows) for each run of adjacent windows of row
  /// (n, o0, o1) that have the same taps. Tap i of the first window is at x[first + offsets[i]],
  /// and `output` is the index of its result. The next window is window_step() elements further on
  /// in x and `channels` in the output. `offsets`: memory for taps() numbers.
  template <class F>
  void for_each_run(int64_t n, int64_t o0, int64_t o1, int64_t* offsets, F&& f) const;
  /// The same for the rows [begin, end) of windows of the whole array.
  template <class F>
  void for_each_run_of_rows(int64_t begin, int64_t end, int64_t* offsets, F&& f) const {
    const int64_t d0 = dims[0].out;
    const int64_t d1 = dims[1].out;
    for (int64_t row = begin; row < end; ++row) {
      for_each_run(row / d1 / d0, row / d1 % d0, row % d1, offsets, f);
    }
  }
  /// The same window by window: f(first, offsets, taps, output).
  template <class F>
  void for_each_window_of_rows(int64_t begin, int64_t end, int64_t* offsets, F&& f) const {
    for_each_run_of_rows(
        begin, end, offsets,
        [&](int64_t first, const int64_t* at, int64_t count, int64_t output, int64_t windows) {
          for (int64_t i = 0; i < windows; ++i) {
            f(first + i * window_step(), at, count, output + i * channels);
          }
        });
  }
};

template <class F>
void WindowGeometry::for_each_run(int64_t n, int64_t o0, int64_t o1, int64_t* offsets,
                                  F&& f) const {
  const auto& [d0, d1, d2] = dims;
  const int64_t row = d2.in * channels;
  const int64_t start =
      ((n * d0.in + o0 * d0.stride - d0.low) * d1.in + o1 * d1.stride - d1.low) * row;
  int64_t next = 0;
  for (int64_t o2 = 0; o2 < d2.out; o2 = next) {
    const int64_t begin = d2.begin(o2);
    const int64_t end = d2.end(o2);
    for (next = o2 + 1; next < d2.out && d2.begin(next) == begin && d2.end(next) == end;) ++next;
    int64_t count = 0;
    for (int64_t k0 = d0.begin(o0); k0 < d0.end(o0); ++k0) {
      for (int64_t k1 = d1.begin(o1); k1 < d1.end(o1); ++k1) {
        for (int64_t k2 = begin; k2 < end; ++k2) {
          offsets[count++] =
              (k0 * d0.dilation * d1.in + k1 * d1.dilation) * row + k2 * d2.dilation * channels;
        }
      }
    }
    f(start + (o2 * d2.stride - d2.low) * channels, offsets, count,
      (((n * d0.out + o0) * d1.out + o1) * d2.out + o2) * channels, next - o2);
  }
}

}  // namespace antler::runtime
