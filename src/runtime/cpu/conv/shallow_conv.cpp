#include "runtime/cpu/conv/shallow_conv.h"

#include <algorithm>

#include "base/ceil_div.h"
#include "runtime/cpu/cache_line.h"
#include "runtime/cpu/parallel.h"

namespace antler::runtime {
namespace {

// Largest number of terms of a sum for which the weights of two vectors of outputs stay in L1.
constexpr int64_t kMaxSteps = 160;
constexpr int64_t kMaxGradSteps = 80;
// Elements of the padded copy of a band. With its outputs it stays in L2.
constexpr int64_t kPaddedSize = 32 << 10;
constexpr int64_t kMaxParts = 8;

/// Rows or columns of x that `pooled` pooled ones read.
int64_t extent_of(const ops::ConvDimension& d, int64_t pooled) {
  return (2 * pooled - 1) * d.stride + (d.kernel - 1) * d.rhs_dilation + 1;
}

}  // namespace

bool ShallowGeometry::accepts(const ops::ConvGeometry& g, const ir::Attrs& pool) {
#ifdef ANTLER_HAS_AVX512_LOOPS
  const ir::Ints two = {1, 2, 2, 1};
  const bool is_dilated =
      std::any_of(g.dims.begin(), g.dims.end(), [](const auto& d) { return d.lhs_dilation != 1; });
  const int64_t steps = g.dims[1].kernel * g.dims[2].kernel * g.group_inputs;
  return avx512::available() && pool.ints("window") == two && pool.ints("strides") == two &&
         !is_dilated && g.groups == 1 && g.group_outputs % avx512::kShallowLanes == 0 &&
         steps >= 1 && steps <= kMaxSteps && g.dims[1].output >= 2 && g.dims[2].output >= 2;
#else
  (void)g, (void)pool;
  return false;
#endif
}

ShallowGeometry::ShallowGeometry(const ops::ConvGeometry& geometry, int threads) : g_(geometry) {
  const ops::ConvDimension& y = g_.dims[1];
  const ops::ConvDimension& x = g_.dims[2];
  rows_ = y.output / 2;
  columns_ = x.output / 2;
  const int64_t channels = g_.group_inputs;
  in_place_ = y.pad_low <= 0 && x.pad_low <= 0 && extent_of(y, rows_) - y.pad_low <= y.input &&
              extent_of(x, columns_) - x.pad_low <= x.input;
  line_ = (in_place_ ? x.input : extent_of(x, columns_)) * channels;
  band_rows_ = rows_;
  if (!in_place_) {
    // Each pooled row reads 2 * stride more rows.
    const int64_t room = kPaddedSize / line_ - extent_of(y, 1);
    band_rows_ = std::clamp<int64_t>(1 + room / (2 * y.stride), 1, rows_);
    padded_size_ = pad_to_cache_line(extent_of(y, band_rows_) * line_);
  }
  for (int64_t k1 = 0; k1 < y.kernel; ++k1) {
    for (int64_t k2 = 0; k2 < x.kernel; ++k2) {
      for (int64_t c = 0; c < channels; ++c) {
        offsets_.push_back(k1 * y.rhs_dilation * line_ + k2 * x.rhs_dilation * channels + c);
      }
    }
  }
  threads_ =
      threads_for_work(threads, g_.batch * rows_ * columns_ * 4 * steps() * g_.group_outputs);
}

const float* ShallowGeometry::prepare_rows(const float* x, int64_t image, int64_t begin,
                                           int64_t end, float* padded) const {
  const ops::ConvDimension& d = g_.dims[1];
  const float* const first = x + image * d.input * g_.dims[2].input * g_.group_inputs;
  if (in_place_) {
    return first + (2 * begin * d.stride - d.pad_low) * line_ -
           g_.dims[2].pad_low * g_.group_inputs;
  }
  pad(first, begin, end, padded);
  return padded;
}

void ShallowGeometry::pad(const float* image, int64_t begin, int64_t end, float* padded) const {
  const ops::ConvDimension& y = g_.dims[1];
  const ops::ConvDimension& x = g_.dims[2];
  const int64_t channels = g_.group_inputs;
  const int64_t first = std::clamp<int64_t>(x.pad_low, 0, line_ / channels);
  const int64_t skipped = std::max<int64_t>(-x.pad_low, 0);
  const int64_t count = std::clamp<int64_t>(x.input - skipped, 0, line_ / channels - first);
  const int64_t top = 2 * begin * y.stride - y.pad_low;
  for (int64_t i = 0; i < extent_of(y, end - begin); ++i) {
    float* const to = padded + i * line_;
    if (top + i < 0 || top + i >= y.input || count == 0) {
      std::fill_n(to, line_, 0.0F);
      continue;
    }
    const float* const from = image + ((top + i) * x.input + skipped) * channels;
    std::fill_n(to, first * channels, 0.0F);
    std::copy_n(from, count * channels, to + first * channels);
    std::fill(to + (first + count) * channels, to + line_, 0.0F);
  }
}

avx512::ShallowRow ShallowGeometry::pooled_row(const float* first, int64_t row) const {
  const int64_t row_step = g_.dims[1].stride * line_;
  return {.x = first + 2 * row * row_step,
          .row_step = row_step,
          .column_step = g_.dims[2].stride * g_.group_inputs,
          .offsets = offsets_.data(),
          .steps = steps(),
          .channels = g_.group_outputs,
          .windows = columns_};
}

ShallowConvPool::ShallowConvPool(const ops::ConvGeometry& geometry, int threads)
    : ShallowGeometry(geometry, threads) {
  bands_ = std::max(ceil_div(rows_, band_rows()), g_.batch >= threads_ ? 1 : int64_t{threads_});
  bands_ = std::min(bands_, rows_);
}

void ShallowConvPool::run(const float* x, const float* weights, const float* bias, float* pooled,
                          uint8_t* index, float* scratch) const {
  parallel_each(threads_, g_.batch * bands_, [&](int64_t task, int worker) {
    const int64_t image = task / bands_;
    const int64_t begin = rows_ * (task % bands_) / bands_;
    const int64_t end = rows_ * (task % bands_ + 1) / bands_;
    const float* const first = prepare_rows(x, image, begin, end, scratch + worker * padded_size_);
    for (int64_t row = begin; row < end; ++row) {
      const int64_t to = (image * rows_ + row) * pooled_line();
      avx512::shallow_windows(pooled_row(first, row - begin), weights, bias, pooled + to,
                              index == nullptr ? nullptr : index + to);
    }
  });
}

bool ShallowFilterGrad::accepts(const ops::ConvGeometry& g, const ir::Attrs& pool) {
  return ShallowGeometry::accepts(g, pool) &&
         g.dims[1].kernel * g.dims[2].kernel * g.group_inputs <= kMaxGradSteps;
}

ShallowFilterGrad::ShallowFilterGrad(const ops::ConvGeometry& geometry, int threads)
    : ShallowGeometry(geometry, threads), parts_(std::min(geometry.batch, kMaxParts)) {}

void ShallowFilterGrad::run(const float* x, const uint8_t* index, const float* dy, float* dw,
                            float* scratch) const {
  float* const padded = scratch + parts_ * sum_size();
  parallel_each(threads_, parts_, [&](int64_t part, int worker) {
    float* const sums = scratch + part * sum_size();
    std::fill_n(sums, sum_size(), 0.0F);
    for (int64_t n = g_.batch * part / parts_; n < g_.batch * (part + 1) / parts_; ++n) {
      for (int64_t begin = 0; begin < rows_; begin += band_rows()) {
        const int64_t end = std::min(begin + band_rows(), rows_);
        const float* const first = prepare_rows(x, n, begin, end, padded + worker * padded_size_);
        for (int64_t row = begin; row < end; ++row) {
          const int64_t from = (n * rows_ + row) * pooled_line();
          avx512::add_shallow_products(pooled_row(first, row - begin), index + from, dy + from,
                                       sums);
        }
      }
    }
  });
  std::copy_n(scratch, sum_size(), dw);
  for (int64_t part = 1; part < parts_; ++part) {
    const float* const sums = scratch + part * sum_size();
    for (int64_t i = 0; i < sum_size(); ++i) dw[i] += sums[i];
  }
}

}  // namespace antler::runtime
