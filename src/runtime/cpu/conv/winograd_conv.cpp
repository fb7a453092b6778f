#include <algorithm>
#include <array>

#include "base/ceil_div.h"
#include "runtime/cpu/conv/winograd.h"
#include "runtime/cpu/conv/winograd_transforms.h"
#include "runtime/cpu/parallel.h"

namespace antler::runtime {
namespace {

// Elements of a block's transformed inputs and outputs. They fit into L2 together with some
// weights.
constexpr int64_t kBlockElements = 160 << 10;
// Larger weights do not stay in L2, so more tiles must share each read of them.
constexpr int64_t kLargeWeights = 1 << 20;
constexpr int64_t kWeightRows = 32;

/// Distance between two points. A power of two would map all points to the same cache sets.
int64_t point_step(int64_t tiles, int64_t channels) {
  return tiles * winograd_padded(channels) + kWinogradLanes;
}

}  // namespace

WinogradConv::WinogradConv(const ops::ConvGeometry& geometry, ConvOp op, int threads)
    : WinogradGeometry(geometry, op == ConvOp::input_grad),
      is_grad_(op == ConvOp::input_grad),
      small_rows_(ends_in_small_tile(out_rows_)),
      small_columns_(ends_in_small_tile(out_columns_)) {
  const int64_t width = micro_->columns();
  packed_size_ = kWinogradPoints * inputs_ * ceil_div(outputs_, width) * width;
  const int64_t tile_size =
      kWinogradPoints * (winograd_padded(inputs_) + winograd_padded(outputs_));
  const int64_t least = packed_size_ > kLargeWeights ? 4 : 2;
  block_ = std::clamp<int64_t>(kBlockElements / tile_size / micro_->rows, least, 8) * micro_->rows;
  block_ = std::min(block_, std::max<int64_t>(tiles(), 1));
  threads_ = threads_for_work(threads, tiles() * kWinogradPoints * inputs_ * outputs_);
  workspace_size_ =
      std::max(kWinogradPoints * (point_step(block_, inputs_) + point_step(block_, outputs_)),
               kWinogradPoints * kWeightRows * winograd_padded(is_grad_ ? inputs_ : outputs_));
}

size_t WinogradConv::scratch_bytes() const {
  return static_cast<size_t>(packed_size_ + workspace_size_ * threads_) * sizeof(float);
}

void WinogradConv::run(const float* in, const float* weights, float* out, void* scratch) const {
  auto* const packed = static_cast<float*>(scratch);
  float* const workspaces = packed + packed_size_;
  parallel_each(threads_, weight_blocks(), [&](int64_t block, int worker) {
    pack_block(block, weights, packed, workspaces + worker * workspace_size_);
  });
  parallel_each(threads_, blocks(), [&](int64_t block, int worker) {
    run_block(block, in, packed, out, workspaces + worker * workspace_size_);
  });
}

void WinogradConv::pack(const float* weights, float* packed, float* workspace) const {
  for (int64_t i = 0; i < weight_blocks(); ++i) pack_block(i, weights, packed, workspace);
}

void WinogradConv::run_packed(const float* in, const float* packed, float* out,
                              float* workspace) const {
  for (int64_t i = 0; i < blocks(); ++i) run_block(i, in, packed, out, workspace);
}

// The filter is [3, 3, c_in, c_out]. A block covers kWeightRows indices of c_in. For an input
// gradient, these are columns of the product.
int64_t WinogradConv::weight_blocks() const {
  return ceil_div(is_grad_ ? outputs_ : inputs_, kWeightRows);
}

/// Packed layout: for each point, panels [inputs][width].
void WinogradConv::pack_block(int64_t block, const float* weights, float* packed,
                              float* workspace) const {
  const int64_t rows = is_grad_ ? outputs_ : inputs_;
  const int64_t row = is_grad_ ? inputs_ : outputs_;  // elements
  const int64_t padded = winograd_padded(row);
  const int64_t begin = block * kWeightRows;
  const int64_t end = std::min(begin + kWeightRows, rows);
  const int64_t step = kWeightRows * padded;
  for (int64_t i = begin; i < end; ++i) {
    winograd_filter(weights + i * row, rows * row, is_grad_, row, workspace + (i - begin) * padded,
                    step);
  }
  const int64_t width = micro_->columns();
  const int64_t point_size = packed_size_ / kWinogradPoints;
  for (int64_t p = 0; p < kWinogradPoints; ++p) {
    float* const to = packed + p * point_size;
    const float* const from = workspace + p * step;
    if (is_grad_) {
      static_assert(kWeightRows % 32 == 0, "full panels");
      micro_->pack(inputs_, end - begin, from, 1, padded, width, width, to + begin * inputs_);
      continue;
    }
    for (int64_t j = 0; j < outputs_; j += width) {
      micro_->pack(end - begin, std::min(width, outputs_ - j), from + j, padded, 1, width, width,
                   to + j * inputs_ + begin * width);
    }
  }
}

WinogradSize WinogradConv::size_of(const Place& place) const {
  return {.small_rows = small_rows_ && place.row + kWinogradTile > out_rows_,
          .small_columns = small_columns_ && place.column + kWinogradTile > out_columns_};
}

void WinogradConv::run_block(int64_t block, const float* in, const float* packed, float* out,
                             float* workspace) const {
  const int64_t begin = block * block_;
  const int64_t end = std::min(begin + block_, tiles());
  const int64_t in_step = point_step(block_, inputs_);
  const int64_t out_step = point_step(block_, outputs_);
  const int64_t in_row = winograd_padded(inputs_);
  const int64_t out_row = winograd_padded(outputs_);
  float* const products = workspace + kWinogradPoints * in_step;

  // Sort the tiles by kind, so that the tiles that use a point are contiguous: first those that are
  // small in rows only, then full tiles, then those small in columns only, then those small in
  // both.
  std::array<int64_t, 5> ends = {};  // index of the first tile of each kind, and the count
  const auto kind_of = [](WinogradSize size) {
    return size.small_rows ? (size.small_columns ? 3U : 0U) : (size.small_columns ? 2U : 1U);
  };
  for (int64_t tile = begin; tile < end; ++tile) ++ends[kind_of(size_of(place(tile))) + 1];
  for (size_t kind = 1; kind < ends.size(); ++kind) ends[kind] += ends[kind - 1];
  const auto for_each_tile = [&](auto&& f) {
    std::array<int64_t, 5> next = ends;
    for (int64_t tile = begin; tile < end; ++tile) {
      const Place at = place(tile);
      const WinogradSize size = size_of(at);
      f(at, size, next[kind_of(size)]++);
    }
  };
  for_each_tile([&](const Place& at, WinogradSize size, int64_t i) {
    transform_input(in, at, size, 0, inputs_, workspace + i * in_row, in_step);
  });

  const int64_t width = micro_->columns();
  const int64_t point_size = packed_size_ / kWinogradPoints;
  for (int64_t p = 0; p < kWinogradPoints; ++p) {
    const bool in_small_rows = kWinogradSmallPoints[static_cast<size_t>(p / kWinogradInputs)];
    const bool in_small_columns = kWinogradSmallPoints[static_cast<size_t>(p % kWinogradInputs)];
    const int64_t first = in_small_rows ? 0 : ends[1];
    const int64_t last = !in_small_columns ? ends[2] : in_small_rows ? ends[4] : ends[3];
    if (first == last) continue;
    for (int64_t j = 0; j < outputs_; j += width) {
      // Full vectors: packed weights and rows of products are padded with zeros.
      const int64_t columns = std::min(width, micro_->padded(outputs_ - j));
      multiply({.rows = last - first,
                .columns = columns,
                .k = inputs_,
                .a = workspace + p * in_step + first * in_row,
                .a_row_stride = in_row,
                .a_col_stride = 1,
                .b = packed + p * point_size + j * inputs_,
                .b_row_stride = width,
                .c = products + p * out_step + first * out_row + j,
                .c_row_stride = out_row,
                .accumulate = false});
    }
  }

  for_each_tile([&](const Place& at, WinogradSize size, int64_t i) {
    winograd_output(products + i * out_row, size, out_step, outputs_,
                    out + ((at.image * out_rows_ + at.row) * out_columns_ + at.column) * outputs_,
                    out_columns_ * outputs_,
                    static_cast<int>(std::min<int64_t>(kWinogradTile, out_rows_ - at.row)),
                    static_cast<int>(std::min<int64_t>(kWinogradTile, out_columns_ - at.column)));
  });
}

}  // namespace antler::runtime
