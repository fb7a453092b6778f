#include "runtime/cpu/conv/shallow_conv_pool.h"

#include <algorithm>
#include <cstring>

#include "runtime/cpu/ceil_div.h"
#include "runtime/cpu/conv/shallow_windows_avx512.h"
#include "runtime/cpu/parallel.h"

namespace antler::runtime {
namespace {

// Elements of a sum whose weights, for two vectors of outputs, stay in the first-level cache.
constexpr int64_t kMostSteps = 160;
// Elements of a padded band: with its outputs it stays in the second level.
constexpr int64_t kSlab = 32 << 10;

int64_t whole_lines(int64_t elements) { return ceil_div(elements, 16) * 16; }

/// Rows or columns of x that `pooled` pooled ones meet.
int64_t reach_of(const ops::ConvDimension& d, int64_t pooled) {
  return (2 * pooled - 1) * d.stride + (d.kernel - 1) * d.rhs_dilation + 1;
}

}  // namespace

bool ShallowConvPool::serves(const ops::ConvGeometry& g, const ir::Attrs& pool) {
#ifdef ANTLER_HAS_AVX512_LOOPS
  const ir::Ints two = {1, 2, 2, 1};
  const bool has_holes =
      std::any_of(g.dims.begin(), g.dims.end(), [](const auto& d) { return d.lhs_dilation != 1; });
  const int64_t steps = g.dims[1].kernel * g.dims[2].kernel * g.group_inputs;
  return avx512::available() && pool.ints("window") == two && pool.ints("strides") == two &&
         !has_holes && g.groups == 1 && g.group_outputs % avx512::kShallowLanes == 0 &&
         steps >= 1 && steps <= kMostSteps && g.dims[1].output >= 2 && g.dims[2].output >= 2;
#else
  (void)g, (void)pool;
  return false;
#endif
}

ShallowConvPool::ShallowConvPool(const ops::ConvGeometry& geometry, int threads) : g_(geometry) {
  const ops::ConvDimension& y = g_.dims[1];
  const ops::ConvDimension& x = g_.dims[2];
  rows_ = y.output / 2;
  columns_ = x.output / 2;
  const int64_t channels = g_.group_inputs;
  const int64_t steps = y.kernel * x.kernel * channels;
  threads_ = threads_for_work(threads, g_.batch * rows_ * columns_ * 4 * steps * g_.group_outputs);
  in_place_ = y.pad_low <= 0 && x.pad_low <= 0 && reach_of(y, rows_) - y.pad_low <= y.input &&
              reach_of(x, columns_) - x.pad_low <= x.input;
  line_ = (in_place_ ? x.input : reach_of(x, columns_)) * channels;
  const int64_t rows_of_slab = std::max<int64_t>(kSlab / std::max<int64_t>(line_, 1), 1);
  bands_ = g_.batch >= threads_ ? 1 : threads_;
  if (!in_place_) bands_ = std::max(bands_, ceil_div(reach_of(y, rows_), rows_of_slab));
  bands_ = std::min(bands_, rows_);
  slab_size_ = in_place_ ? 0 : whole_lines(reach_of(y, ceil_div(rows_, bands_)) * line_);
  for (int64_t k1 = 0; k1 < y.kernel; ++k1) {
    for (int64_t k2 = 0; k2 < x.kernel; ++k2) {
      for (int64_t c = 0; c < channels; ++c) {
        offsets_.push_back(k1 * y.rhs_dilation * line_ + k2 * x.rhs_dilation * channels + c);
      }
    }
  }
}

/// The rows of an image that the pooled rows [begin, end) meet, zeros around them.
const float* ShallowConvPool::pad(const float* image, int64_t begin, int64_t end,
                                  float* slab) const {
  const ops::ConvDimension& y = g_.dims[1];
  const ops::ConvDimension& x = g_.dims[2];
  const int64_t channels = g_.group_inputs;
  const int64_t first = std::clamp<int64_t>(x.pad_low, 0, line_ / channels);
  const int64_t skipped = std::max<int64_t>(-x.pad_low, 0);
  const int64_t count = std::clamp<int64_t>(x.input - skipped, 0, line_ / channels - first);
  const int64_t top = 2 * begin * y.stride - y.pad_low;
  for (int64_t i = 0; i < reach_of(y, end - begin); ++i) {
    float* const to = slab + i * line_;
    if (top + i < 0 || top + i >= y.input || count == 0) {
      std::fill_n(to, line_, 0.0F);
      continue;
    }
    const float* const from = image + ((top + i) * x.input + skipped) * channels;
    std::fill_n(to, first * channels, 0.0F);
    std::copy_n(from, count * channels, to + first * channels);
    std::fill(to + (first + count) * channels, to + line_, 0.0F);
  }
  return slab;
}

void ShallowConvPool::run(const float* x, const float* weights, const float* bias, float* pooled,
                          uint8_t* index, float* scratch) const {
  const ops::ConvDimension& y_dim = g_.dims[1];
  const ops::ConvDimension& x_dim = g_.dims[2];
  const int64_t image_size = y_dim.input * x_dim.input * g_.group_inputs;
  const int64_t line_of_pixels = columns_ * g_.group_outputs;
  parallel_each(threads_, g_.batch * bands_, [&](int64_t task, int worker) {
    const int64_t n = task / bands_;
    const int64_t begin = rows_ * (task % bands_) / bands_;
    const int64_t end = rows_ * (task % bands_ + 1) / bands_;
    const float* const image = x + n * image_size;
    const float* const first = in_place_
                                   ? image + (2 * begin * y_dim.stride - y_dim.pad_low) * line_ -
                                         x_dim.pad_low * g_.group_inputs
                                   : pad(image, begin, end, scratch + worker * slab_size_);
    for (int64_t row = begin; row < end; ++row) {
      const int64_t to = (n * rows_ + row) * line_of_pixels;
      avx512::shallow_windows({.x = first + 2 * (row - begin) * y_dim.stride * line_,
                               .row_step = y_dim.stride * line_,
                               .column_step = x_dim.stride * g_.group_inputs,
                               .offsets = offsets_.data(),
                               .steps = static_cast<int64_t>(offsets_.size()),
                               .weights = weights,
                               .bias = bias,
                               .channels = g_.group_outputs,
                               .windows = columns_,
                               .pooled = pooled + to,
                               .index = index == nullptr ? nullptr : index + to});
    }
  });
}

}  // namespace antler::runtime
