#include "runtime/cpu/conv/narrow_conv.h"

#include <algorithm>

#include "base/ceil_div.h"
#include "runtime/cpu/cache_line.h"
#include "runtime/cpu/parallel.h"

namespace antler::runtime {
namespace {

// Elements of z or d of a band. With the rows of x that it reads, a band fits into L2.
constexpr int64_t kBandSize = 64 << 10;
constexpr int64_t kMaxParts = 8;

}  // namespace

NarrowGeometry::NarrowGeometry(const ops::ConvGeometry& geometry) : g_(geometry) {
  row_ = pad_to_cache_line(columns());
}

bool NarrowGeometry::accepts(const ops::ConvGeometry& g) {
  constexpr int64_t kMinTaps = 4;
  constexpr int64_t kMinInputs = 8;
  const int64_t plane = g.dims[1].kernel * g.dims[2].kernel;
  return g.groups == 1 && g.group_outputs >= 1 && g.group_outputs <= kMaxOutputs &&
         g.group_inputs >= kMinInputs && plane >= kMinTaps &&
         std::all_of(g.dims.begin(), g.dims.end(), [](const ops::ConvDimension& d) {
           return d.stride == 1 && d.lhs_dilation == 1;
         });
}

template <class F>
void NarrowGeometry::for_each_tap(int64_t o1, int64_t begin, int64_t end, F&& f) const {
  const ops::ConvDimension& rows = g_.dims[1];
  const ops::ConvDimension& line = g_.dims[2];
  for (int64_t k1 = 0; k1 < rows.kernel; ++k1) {
    const int64_t i1 = o1 - rows.pad_low + k1 * rows.rhs_dilation;
    if (i1 < begin || i1 >= end) continue;
    for (int64_t k2 = 0; k2 < line.kernel; ++k2) {
      const int64_t ahead = k2 * line.rhs_dilation - line.pad_low;
      const int64_t first = std::max<int64_t>(0, -ahead);
      const int64_t last = std::min(line.output, line.input - ahead);
      if (first < last) f(k1 * line.kernel + k2, i1, first, last, first + ahead);
    }
  }
}

template <class T>
NarrowConv<T>::NarrowConv(const ops::ConvGeometry& geometry, int threads)
    : NarrowGeometry(geometry) {
  const auto& d = g_.dims;
  const int64_t reach = (d[1].kernel - 1) * d[1].rhs_dilation;
  const int64_t line = std::max<int64_t>(d[2].input * row_, 1);
  band_rows_ = std::clamp<int64_t>(kBandSize / line - reach, std::max<int64_t>(reach, 1),
                                   std::max<int64_t>(d[1].output, 1));
  bands_ = ceil_div(d[1].output, band_rows_);
  const int64_t rows = std::min(band_rows_ + reach, d[1].input);
  z_size_ = pad_to_cache_line(rows * d[2].input * row_);
  workspace_size_ = pad_to_cache_line(gemm_workspace<T>(rows * d[2].input, row_, g_.group_inputs));
  weights_size_ = planes() * g_.group_inputs * row_;
  threads_ = threads_for_work(threads, g_.batch * d[0].output * d[1].output * d[2].output *
                                           planes() * columns() * g_.group_inputs);
}

template <class T>
size_t NarrowConv<T>::scratch_bytes() const {
  return static_cast<size_t>(weights_size_ + (z_size_ + workspace_size_) * threads_) * sizeof(T);
}

/// Repacks the filter to one matrix per plane: [inputs, (tap, output)].
template <class T>
void NarrowConv<T>::prepare(const T* w, T* weights) const {
  const int64_t outputs = g_.group_outputs;
  const int64_t inputs = g_.group_inputs;
  std::fill_n(weights, weights_size_, T(0));
  for (int64_t plane = 0; plane < planes(); ++plane) {
    for (int64_t tap = 0; tap < taps(); ++tap) {
      for (int64_t c = 0; c < inputs; ++c) {
        std::copy_n(w, outputs, weights + (plane * inputs + c) * row_ + tap * outputs);
        w += outputs;
      }
    }
  }
}

template <class T>
void NarrowConv<T>::run(const T* x, const T* w, T* y, void* scratch) const {
  T* const weights = static_cast<T*>(scratch);
  T* const workspaces = weights + weights_size_;
  prepare(w, weights);
  parallel_each(threads_, g_.batch * g_.dims[0].output * bands_, [&](int64_t band, int worker) {
    run_band(band, x, weights, y, workspaces + worker * (z_size_ + workspace_size_));
  });
}

template <class T>
void NarrowConv<T>::run_band(int64_t band, const T* x, const T* weights, T* y, T* workspace) const {
  const auto& d = g_.dims;
  const int64_t n = band / bands_ / d[0].output;
  const int64_t o0 = band / bands_ % d[0].output;
  const int64_t begin = band % bands_ * band_rows_;
  const int64_t end = std::min(begin + band_rows_, d[1].output);
  const int64_t reach = (d[1].kernel - 1) * d[1].rhs_dilation;
  const int64_t row_begin = std::clamp<int64_t>(begin - d[1].pad_low, 0, d[1].input);
  const int64_t row_end = std::clamp<int64_t>(end - d[1].pad_low + reach, row_begin, d[1].input);
  T* const z = workspace + workspace_size_;
  T* const out = y + ((n * d[0].output + o0) * d[1].output) * d[2].output * g_.group_outputs;
  const int64_t line = d[2].output * g_.group_outputs;
  std::fill(out + begin * line, out + end * line, T(0));
  if (row_begin == row_end) return;
  for (int64_t plane = 0; plane < planes(); ++plane) {
    const int64_t i0 = o0 - d[0].pad_low + plane * d[0].rhs_dilation;
    if (i0 < 0 || i0 >= d[0].input) continue;
    GemmBlock<T> product;
    product.m = (row_end - row_begin) * d[2].input;
    product.n = row_;
    product.k = g_.group_inputs;
    product.a = x + (((n * d[0].input + i0) * d[1].input) + row_begin) * d[2].input * product.k;
    product.a_row_stride = product.k;
    product.a_col_stride = 1;
    product.b = weights + plane * product.k * row_;
    product.b_row_stride = row_;
    product.b_col_stride = 1;
    product.c = z;
    product.c_row_stride = row_;
    gemm_block(product, workspace);
    switch (g_.group_outputs) {
      case 1:
        add_windows<1>(z, begin, end, row_begin, row_end, out);
        break;
      case 2:
        add_windows<2>(z, begin, end, row_begin, row_end, out);
        break;
      case 3:
        add_windows<3>(z, begin, end, row_begin, row_end, out);
        break;
      default:
        add_windows<4>(z, begin, end, row_begin, row_end, out);
        break;
    }
  }
}

/// Adds one plane of the filter to rows [begin, end) of windows. `z`: of rows [row_begin, row_end)
/// of x.
template <class T>
template <int outputs>
void NarrowConv<T>::add_windows(const T* z, int64_t begin, int64_t end, int64_t row_begin,
                                int64_t row_end, T* y) const {
  const int64_t input = g_.dims[2].input;
  const int64_t output = g_.dims[2].output;
  const int64_t step = row_;
  for (int64_t o1 = begin; o1 < end; ++o1) {
    for_each_tap(o1, row_begin, row_end,
                 [&](int64_t tap, int64_t i1, int64_t first, int64_t last, int64_t i2) {
                   const T* from = z + ((i1 - row_begin) * input + i2) * step + tap * outputs;
                   T* to = y + (o1 * output + first) * outputs;
                   for (int64_t o2 = first; o2 < last; ++o2) {
                     for (int c = 0; c < outputs; ++c) to[c] += from[c];
                     from += step;
                     to += outputs;
                   }
                 });
  }
}

template <class T>
NarrowFilterGrad<T>::NarrowFilterGrad(const ops::ConvGeometry& geometry, int threads)
    : NarrowGeometry(geometry) {
  const auto& d = g_.dims;
  const int64_t line = std::max<int64_t>(d[2].input * row_, 1);
  band_rows_ = std::clamp<int64_t>(kBandSize / line, 1, std::max<int64_t>(d[1].input, 1));
  parts_ = std::clamp<int64_t>(g_.batch, 1, kMaxParts);
  sum_size_ = pad_to_cache_line(planes() * g_.group_inputs * row_);
  d_size_ = pad_to_cache_line(band_rows_ * d[2].input * row_);
  workspace_size_ =
      pad_to_cache_line(gemm_workspace<T>(g_.group_inputs, row_, band_rows_ * d[2].input));
  threads_ = threads_for_work(threads, g_.batch * d[0].output * d[1].output * d[2].output *
                                           planes() * columns() * g_.group_inputs);
}

template <class T>
size_t NarrowFilterGrad<T>::scratch_bytes() const {
  return static_cast<size_t>(parts_ * sum_size_ + (d_size_ + workspace_size_) * threads_) *
         sizeof(T);
}

template <class T>
void NarrowFilterGrad<T>::run(const T* x, const T* dy, T* dw, void* scratch) const {
  T* const sums = static_cast<T*>(scratch);
  T* const workspaces = sums + parts_ * sum_size_;
  parallel_each(threads_, parts_, [&](int64_t part, int worker) {
    run_part(part, x, dy, sums + part * sum_size_,
             workspaces + worker * (d_size_ + workspace_size_));
  });
  const int64_t outputs = g_.group_outputs;
  const int64_t inputs = g_.group_inputs;
  for (int64_t plane = 0; plane < planes(); ++plane) {
    for (int64_t tap = 0; tap < taps(); ++tap) {
      for (int64_t c = 0; c < inputs; ++c) {
        const T* from = sums + (plane * inputs + c) * row_ + tap * outputs;
        for (int64_t o = 0; o < outputs; ++o) {
          T sum = from[o];
          for (int64_t part = 1; part < parts_; ++part) sum += from[part * sum_size_ + o];
          *dw++ = sum;
        }
      }
    }
  }
}

/// d of the pixels of rows [row_begin, row_end) of x: im2col of dy, mirrored.
template <class T>
void NarrowFilterGrad<T>::shift(const T* dy, int64_t row_begin, int64_t row_end, T* d) const {
  const ops::ConvDimension& rows = g_.dims[1];
  const ops::ConvDimension& line = g_.dims[2];
  const int64_t outputs = g_.group_outputs;
  std::fill_n(d, (row_end - row_begin) * line.input * row_, T(0));
  const int64_t begin = row_begin + rows.pad_low - (rows.kernel - 1) * rows.rhs_dilation;
  const int64_t end = std::min(row_end + rows.pad_low, rows.output);
  for (int64_t o1 = std::max<int64_t>(begin, 0); o1 < end; ++o1) {
    for_each_tap(o1, row_begin, row_end,
                 [&](int64_t tap, int64_t i1, int64_t first, int64_t last, int64_t i2) {
                   const T* from = dy + (o1 * line.output + first) * outputs;
                   T* to = d + ((i1 - row_begin) * line.input + i2) * row_ + tap * outputs;
                   for (int64_t o2 = first; o2 < last; ++o2) {
                     for (int64_t c = 0; c < outputs; ++c) to[c] = from[c];
                     from += outputs;
                     to += row_;
                   }
                 });
  }
}

template <class T>
void NarrowFilterGrad<T>::run_part(int64_t part, const T* x, const T* dy, T* sums,
                                   T* workspace) const {
  const auto& d = g_.dims;
  T* const shifted = workspace + workspace_size_;
  std::fill_n(sums, sum_size_, T(0));
  const int64_t plane_size = d[1].output * d[2].output * g_.group_outputs;
  for (int64_t n = g_.batch * part / parts_; n < g_.batch * (part + 1) / parts_; ++n) {
    for (int64_t o0 = 0; o0 < d[0].output; ++o0) {
      for (int64_t begin = 0; begin < d[1].input; begin += band_rows_) {
        const int64_t end = std::min(begin + band_rows_, d[1].input);
        shift(dy + (n * d[0].output + o0) * plane_size, begin, end, shifted);
        for (int64_t plane = 0; plane < planes(); ++plane) {
          const int64_t i0 = o0 - d[0].pad_low + plane * d[0].rhs_dilation;
          if (i0 < 0 || i0 >= d[0].input) continue;
          GemmBlock<T> product;
          product.m = g_.group_inputs;
          product.n = row_;
          product.k = (end - begin) * d[2].input;
          product.a = x + ((n * d[0].input + i0) * d[1].input + begin) * d[2].input * product.m;
          product.a_row_stride = 1;
          product.a_col_stride = product.m;
          product.b = shifted;
          product.b_row_stride = row_;
          product.b_col_stride = 1;
          product.c = sums + plane * product.m * row_;
          product.c_row_stride = row_;
          product.accumulate = true;
          gemm_block(product, workspace);
        }
      }
    }
  }
}

template class NarrowConv<float>;
template class NarrowConv<double>;
template class NarrowFilterGrad<float>;
template class NarrowFilterGrad<double>;

}  // namespace antler::runtime
