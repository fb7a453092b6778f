#include "runtime/cpu/conv/depthwise.h"

#include <algorithm>
#include <type_traits>

#include "runtime/cpu/parallel.h"
#include "runtime/cpu/simd.h"

namespace antler::runtime {
namespace {

constexpr int64_t kMaxParts = 8;

using ops::ConvDimension;

/// Pixels computed at a time: they share loads of weights, and their sums are independent.
constexpr int64_t kPixels = 4;

/// to[p * to_step + c] = sum over taps of
///     from[tap.from + p * from_step + c] * weights[tap.weight + c]
/// for p < pixels and c >= `begin`, in full vectors of `bytes`. Returns the first c not computed.
template <int bytes, int pixels, class T>
ANTLER_INLINE int64_t sum_vectors(const T* from, int64_t from_step, const T* weights,
                                  const TapOffsets* taps, int64_t count, T* to, int64_t to_step,
                                  int64_t begin, int64_t channels) {
  // NOLINTNEXTLINE(modernize-use-using): an alias does not take these attributes of a parameter
  typedef T Vector __attribute__((vector_size(bytes), aligned(alignof(T)), may_alias));
  constexpr int64_t kLanes = bytes / static_cast<int64_t>(sizeof(T));
  int64_t c = begin;
  for (; c + kLanes <= channels; c += kLanes) {
    Vector sums[pixels] = {};
    for (int64_t t = 0; t < count; ++t) {
      const Vector w = *reinterpret_cast<const Vector*>(weights + taps[t].weight + c);
      const T* x = from + taps[t].from + c;
#pragma GCC unroll 4
      for (int p = 0; p < pixels; ++p) {
        sums[p] += *reinterpret_cast<const Vector*>(x + p * from_step) * w;
      }
    }
#pragma GCC unroll 4
    for (int p = 0; p < pixels; ++p) *reinterpret_cast<Vector*>(to + p * to_step + c) = sums[p];
  }
  return c;
}

template <int pixels, class T>
ANTLER_INLINE void sum_pixels(const T* from, int64_t from_step, const T* weights,
                              const TapOffsets* taps, int64_t count, T* to, int64_t to_step,
                              int64_t channels) {
  int64_t c =
      sum_vectors<64, pixels>(from, from_step, weights, taps, count, to, to_step, 0, channels);
  c = sum_vectors<16, pixels>(from, from_step, weights, taps, count, to, to_step, c, channels);
  sum_vectors<sizeof(T), pixels>(from, from_step, weights, taps, count, to, to_step, c, channels);
}

/// The sums of `pixels` results with the same taps, `to_step` apart.
template <class T>
ANTLER_INLINE void sum_run(const T* from, int64_t from_step, const T* weights,
                           const TapOffsets* taps, int64_t count, T* to, int64_t to_step,
                           int64_t pixels, int64_t channels) {
  for (; pixels >= kPixels; pixels -= kPixels) {
    sum_pixels<kPixels>(from, from_step, weights, taps, count, to, to_step, channels);
    from += kPixels * from_step;
    to += kPixels * to_step;
  }
  for (; pixels > 0; --pixels) {
    sum_pixels<1>(from, 0, weights, taps, count, to, 0, channels);
    from += from_step;
    to += to_step;
  }
}

/// dw[c] += sum over o < count of x[o * x_step + c] * dy[o * dy_step + c]
template <class T>
ANTLER_INLINE void sum_row(const T* x, int64_t x_step, const T* dy, int64_t dy_step, int64_t count,
                           T* dw, int64_t channels) {
  // NOLINTNEXTLINE(modernize-use-using): an alias does not take these attributes of a parameter
  typedef T Vector __attribute__((vector_size(32), aligned(alignof(T)), may_alias));
  constexpr int64_t kLanes = 32 / sizeof(T);
  int64_t c = 0;
  for (; c + 2 * kLanes <= channels; c += 2 * kLanes) {
    Vector a = {};
    Vector b = {};
    for (int64_t o = 0; o < count; ++o) {
      const auto* p = reinterpret_cast<const Vector*>(x + o * x_step + c);
      const auto* q = reinterpret_cast<const Vector*>(dy + o * dy_step + c);
      a += p[0] * q[0];
      b += p[1] * q[1];
    }
    *reinterpret_cast<Vector*>(dw + c) += a;
    *reinterpret_cast<Vector*>(dw + c + kLanes) += b;
  }
  for (; c < channels; ++c) {
    T a = 0;
    for (int64_t o = 0; o < count; ++o) a += x[o * x_step + c] * dy[o * dy_step + c];
    dw[c] += a;
  }
}

ANTLER_CLONES void run_floats(const float* x, int64_t x_step, const float* w,
                              const TapOffsets* taps, int64_t count, float* to, int64_t to_step,
                              int64_t pixels, int64_t channels) {
  sum_run(x, x_step, w, taps, count, to, to_step, pixels, channels);
}
ANTLER_CLONES void run_doubles(const double* x, int64_t x_step, const double* w,
                               const TapOffsets* taps, int64_t count, double* to, int64_t to_step,
                               int64_t pixels, int64_t channels) {
  sum_run(x, x_step, w, taps, count, to, to_step, pixels, channels);
}
ANTLER_CLONES void row_floats(const float* x, int64_t x_step, const float* dy, int64_t dy_step,
                              int64_t count, float* dw, int64_t channels) {
  sum_row(x, x_step, dy, dy_step, count, dw, channels);
}
ANTLER_CLONES void row_doubles(const double* x, int64_t x_step, const double* dy, int64_t dy_step,
                               int64_t count, double* dw, int64_t channels) {
  sum_row(x, x_step, dy, dy_step, count, dw, channels);
}

template <class T>
constexpr auto kSumRun = [] {
  if constexpr (std::is_same_v<T, float>)
    return run_floats;
  else
    return run_doubles;
}();
template <class T>
constexpr auto kSumRow = [] {
  if constexpr (std::is_same_v<T, float>)
    return row_floats;
  else
    return row_doubles;
}();

/// Index of the operand for element `o` of the result and element k of the filter, or -1. For the
/// input gradient, input * lhs_dilation = output * stride - pad + k * rhs_dilation is solved for
/// the output.
int64_t operand_index(const ConvDimension& d, bool is_grad, int64_t o, int64_t k) {
  if (!is_grad) return d.input_at(o, k);
  const int64_t spread = o * d.lhs_dilation + d.pad_low - k * d.rhs_dilation;
  if (spread < 0 || spread % d.stride != 0 || spread / d.stride >= d.output) return -1;
  return spread / d.stride;
}

}  // namespace

template <class T>
DepthwiseConv<T>::DepthwiseConv(const ops::ConvGeometry& geometry, ConvOp op, int threads)
    : geometry_(geometry), op_(op), channels_(geometry.groups) {
  const bool is_grad = op == ConvOp::input_grad;
  kernel_size_ = 1;
  int64_t pixels = geometry.batch;
  for (size_t d = 0; d < 3; ++d) {
    const ConvDimension& dim = geometry.dims[d];
    from_sizes_[d] = is_grad ? dim.output : dim.input;
    kernel_size_ *= dim.kernel;
    pixels *= is_grad ? dim.input : dim.output;
    for (int64_t o = 0; o < (is_grad ? dim.input : dim.output); ++o) {
      auto& taps = taps_[d].emplace_back();
      for (int64_t k = 0; k < dim.kernel; ++k) {
        const int64_t from = operand_index(dim, is_grad, o, k);
        if (from >= 0) taps.push_back({k, from});
      }
    }
  }
  for (size_t o = 0; o < taps_[2].size(); ++o) add_to_runs(static_cast<int64_t>(o));
  // A multiply-add takes about four times as long as in a matrix product.
  threads_ = threads_for_work(threads, 4 * pixels * kernel_size_ * channels_);
  parts_ = std::clamp<int64_t>(geometry.batch * geometry.dims[0].output * geometry.dims[1].output,
                               1, kMaxParts);
}

/// Appends element `o` of the last dimension to a run, or starts a new one.
template <class T>
void DepthwiseConv<T>::add_to_runs(int64_t o) {
  const auto& taps = taps_[2][static_cast<size_t>(o)];
  const auto continues = [&](const Run& run) {
    if (run.taps.size() != taps.size()) return false;
    const int64_t step = taps.empty() ? 0 : taps[0].from - run.taps[0].from;
    for (size_t t = 0; t < taps.size(); ++t) {
      if (taps[t].kernel != run.taps[t].kernel || taps[t].from - run.taps[t].from != step) {
        return false;
      }
    }
    return run.count == 1 ||
           (o == run.first + run.count * run.step && step == run.count * run.from_step);
  };
  for (Run& run : runs_) {
    if (!continues(run)) continue;
    if (run.count == 1) {
      run.step = o - run.first;
      run.from_step = taps.empty() ? 0 : taps[0].from - run.taps[0].from;
    }
    ++run.count;
    return;
  }
  runs_.push_back({.first = o, .taps = taps});
}

template <class T>
size_t DepthwiseConv<T>::scratch_bytes() const {
  if (op_ != ConvOp::filter_grad) {
    return static_cast<size_t>(threads_ * kernel_size_) * sizeof(TapOffsets);
  }
  return static_cast<size_t>(parts_ * kernel_size_ * channels_) * sizeof(T);
}

template <class T>
void DepthwiseConv<T>::run(const T* first, const T* second, T* result, void* scratch) const {
  if (op_ != ConvOp::filter_grad) {
    const auto rows = geometry_.batch * static_cast<int64_t>(taps_[0].size() * taps_[1].size());
    parallel_ranges(threads_, rows, [&](int64_t begin, int64_t end, int worker) {
      run_rows(first, second, result, begin, end,
               static_cast<TapOffsets*>(scratch) + worker * kernel_size_);
    });
    return;
  }
  const int64_t size = kernel_size_ * channels_;
  T* const partial = static_cast<T*>(scratch);
  const int64_t rows = geometry_.batch * geometry_.dims[0].output * geometry_.dims[1].output;
  parallel_each(threads_, parts_, [&](int64_t part, int) {
    std::fill_n(partial + part * size, size, T(0));
    run_filter(first, second, partial + part * size, rows * part / parts_,
               rows * (part + 1) / parts_);
  });
  std::copy_n(partial, size, result);
  for (int64_t part = 1; part < parts_; ++part) {
    for (int64_t i = 0; i < size; ++i) result[i] += partial[part * size + i];
  }
}

/// Computes rows [begin, end) of the result, numbered over the batch and the first two dimensions.
template <class T>
void DepthwiseConv<T>::run_rows(const T* from, const T* weights, T* to, int64_t begin, int64_t end,
                                TapOffsets* taps) const {
  const auto rows0 = static_cast<int64_t>(taps_[0].size());
  const auto rows1 = static_cast<int64_t>(taps_[1].size());
  const auto columns = static_cast<int64_t>(taps_[2].size());
  const auto& dims = geometry_.dims;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t n = row / rows1 / rows0;
    const auto& taps0 = taps_[0][static_cast<size_t>(row / rows1 % rows0)];
    const auto& taps1 = taps_[1][static_cast<size_t>(row % rows1)];
    for (const Run& run : runs_) {
      int64_t count = 0;
      for (const auto& t0 : taps0) {
        for (const auto& t1 : taps1) {
          const int64_t line =
              ((n * from_sizes_[0] + t0.from) * from_sizes_[1] + t1.from) * from_sizes_[2];
          const int64_t kernel = (t0.kernel * dims[1].kernel + t1.kernel) * dims[2].kernel;
          for (const auto& t2 : run.taps) {
            taps[count++] = {(line + t2.from) * channels_, (kernel + t2.kernel) * channels_};
          }
        }
      }
      kSumRun<T>(from, run.from_step * channels_, weights, taps, count,
                 to + (row * columns + run.first) * channels_, run.step * channels_, run.count,
                 channels_);
    }
  }
}

/// Adds the products of the output rows [begin, end) to dw.
template <class T>
void DepthwiseConv<T>::run_filter(const T* x, const T* dy, T* dw, int64_t begin,
                                  int64_t end) const {
  const auto& [d0, d1, d2] = geometry_.dims;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t n = row / d1.output / d0.output;
    for (const auto& t0 : taps_[0][static_cast<size_t>(row / d1.output % d0.output)]) {
      for (const auto& t1 : taps_[1][static_cast<size_t>(row % d1.output)]) {
        const T* const line =
            x + ((n * d0.input + t0.from) * d1.input + t1.from) * d2.input * channels_;
        for (int64_t k = 0; k < d2.kernel; ++k) {
          // Outputs o with 0 <= o * stride + shift < input.
          const int64_t shift = k * d2.rhs_dilation - d2.pad_low;
          const int64_t first = shift >= 0 ? 0 : (-shift + d2.stride - 1) / d2.stride;
          const int64_t room = d2.input - shift;
          const int64_t last =
              std::min(d2.output, room <= 0 ? 0 : (room + d2.stride - 1) / d2.stride);
          if (first >= last) continue;
          const int64_t tap = (t0.kernel * d1.kernel + t1.kernel) * d2.kernel + k;
          kSumRow<T>(line + (first * d2.stride + shift) * channels_, d2.stride * channels_,
                     dy + (row * d2.output + first) * channels_, channels_, last - first,
                     dw + tap * channels_, channels_);
        }
      }
    }
  }
}

template class DepthwiseConv<float>;
template class DepthwiseConv<double>;

}  // namespace antler::runtime
