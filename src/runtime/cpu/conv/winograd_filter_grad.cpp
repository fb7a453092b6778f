#include <algorithm>

#include "base/ceil_div.h"
#include "runtime/cpu/conv/winograd.h"
#include "runtime/cpu/conv/winograd_transforms.h"
#include "runtime/cpu/parallel.h"

namespace antler::runtime {
namespace {

constexpr int64_t kMaxParts = 8;
constexpr int64_t kMaxPartialElements = 1 << 20;  // of all partial results
constexpr int64_t kMinPartTiles = 256;
constexpr int64_t kMinTasks = 8;
constexpr int64_t kMinPartChannels = 64;  // each part of the channels transforms all of dy
constexpr int64_t kBlockElements = 160 << 10;
constexpr int64_t kMinBlock = 32;
constexpr int64_t kMaxBlock = 96;

}  // namespace

WinogradFilterGrad::WinogradFilterGrad(const ops::ConvGeometry& geometry, int threads)
    : WinogradGeometry(geometry, false) {
  parts_ = std::clamp<int64_t>(
      std::min(kMaxPartialElements / (kWinogradPoints * point_size()), tiles() / kMinPartTiles), 1,
      kMaxParts);
  channel_parts_ = std::clamp<int64_t>(ceil_div(kMinTasks, parts_), 1,
                                       std::max<int64_t>(inputs_ / kMinPartChannels, 1));
  const int64_t channels =
      winograd_padded(ceil_div(inputs_, channel_parts_)) + winograd_padded(outputs_);
  block_ = std::clamp(kBlockElements / (kWinogradPoints * channels), kMinBlock, kMaxBlock);
  workspace_size_ = kWinogradPoints * (block_ * channels + int64_t{2} * kWinogradLanes);
  threads_ = threads_for_work(threads, tiles() * kWinogradPoints * inputs_ * outputs_);
}

int64_t WinogradFilterGrad::point_size() const { return inputs_ * winograd_padded(outputs_); }

size_t WinogradFilterGrad::scratch_bytes() const {
  return static_cast<size_t>(parts_ * kWinogradPoints * point_size() + workspace_size_ * threads_) *
         sizeof(float);
}

void WinogradFilterGrad::run(const float* x, const float* dy, float* dw, void* scratch) const {
  auto* const sums = static_cast<float*>(scratch);
  const int64_t part_size = kWinogradPoints * point_size();
  float* const workspaces = sums + parts_ * part_size;
  parallel_each(threads_, parts_ * channel_parts_, [&](int64_t task, int worker) {
    const int64_t part = task / channel_parts_;
    run_part(part, task % channel_parts_, x, dy, sums + part * part_size,
             workspaces + worker * workspace_size_);
  });
  parallel_ranges(threads_, inputs_, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      winograd_filter_grad(sums + i * winograd_padded(outputs_), point_size(), parts_, part_size,
                           outputs_, dw + i * outputs_, inputs_ * outputs_);
    }
  });
}

void WinogradFilterGrad::run_part(int64_t part, int64_t channel_part, const float* x,
                                  const float* dy, float* sums, float* workspace) const {
  const int64_t first = inputs_ * channel_part / channel_parts_;
  const int64_t channels = inputs_ * (channel_part + 1) / channel_parts_ - first;
  const int64_t in_row = winograd_padded(channels);
  const int64_t out_row = winograd_padded(outputs_);
  const int64_t in_step = block_ * in_row + kWinogradLanes;
  const int64_t out_step = block_ * out_row + kWinogradLanes;
  float* const grads = workspace + kWinogradPoints * in_step;
  const int64_t width = micro_->columns();
  const int64_t part_begin = tiles() * part / parts_;
  const int64_t part_end = tiles() * (part + 1) / parts_;
  for (int64_t begin = part_begin; begin < part_end; begin += block_) {
    const int64_t end = std::min(begin + block_, part_end);
    for (int64_t tile = begin; tile < end; ++tile) {
      transform_input(x, place(tile), {}, first, channels, workspace + (tile - begin) * in_row,
                      in_step);
    }
    transform_grads(dy, begin, end, grads, out_step);
    for (int64_t p = 0; p < kWinogradPoints; ++p) {
      for (int64_t j = 0; j < out_row; j += width) {
        multiply({.rows = channels,
                  .columns = std::min(width, out_row - j),
                  .k = end - begin,
                  .a = workspace + p * in_step,
                  .a_row_stride = 1,
                  .a_col_stride = in_row,
                  .b = grads + p * out_step + j,
                  .b_row_stride = out_row,
                  .c = sums + p * point_size() + first * out_row + j,
                  .c_row_stride = out_row,
                  .accumulate = begin > part_begin});
      }
    }
  }
}

void WinogradFilterGrad::transform_grads(const float* dy, int64_t begin, int64_t end, float* to,
                                         int64_t point_step) const {
  std::array<const float*, 16> at;
  for (int64_t tile = begin; tile < end; ++tile) {
    const Place p = place(tile);
    const float* const image = dy + p.image * out_rows_ * out_columns_ * outputs_;
    for (int64_t i = 0; i < kWinogradTile; ++i) {
      for (int64_t j = 0; j < kWinogradTile; ++j) {
        at[static_cast<size_t>(kWinogradTile * i + j)] =
            p.row + i < out_rows_ && p.column + j < out_columns_
                ? image + ((p.row + i) * out_columns_ + p.column + j) * outputs_
                : zeros_.data();
      }
    }
    winograd_output_grad(at, outputs_, to + (tile - begin) * winograd_padded(outputs_), point_step);
  }
}

}  // namespace antler::runtime
