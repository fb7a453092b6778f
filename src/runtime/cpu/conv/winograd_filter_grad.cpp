#include <algorithm>

#include "runtime/cpu/ceil_div.h"
#include "runtime/cpu/conv/winograd.h"
#include "runtime/cpu/conv/winograd_transforms.h"
#include "runtime/cpu/parallel.h"

namespace antler::runtime {
namespace {

constexpr int64_t kMaxParts = 8;
constexpr int64_t kPartElements = 1 << 20;  // of the sums of all parts
constexpr int64_t kPartTiles = 256;         // at least
constexpr int64_t kTasks = 8;
constexpr int64_t kStripChannels = 64;  // at least: each strip transforms dy anew
constexpr int64_t kBlockElements = 160 << 10;
constexpr int64_t kMinBlock = 32;
constexpr int64_t kMaxBlock = 96;

}  // namespace

WinogradFilterGrad::WinogradFilterGrad(const ops::ConvGeometry& geometry, int threads)
    : WinogradGeometry(geometry, false) {
  parts_ = std::clamp<int64_t>(
      std::min(kPartElements / (kWinogradPoints * point_size()), tiles() / kPartTiles), 1,
      kMaxParts);
  strips_ = std::clamp<int64_t>(ceil_div(kTasks, parts_), 1,
                                std::max<int64_t>(inputs_ / kStripChannels, 1));
  const int64_t channels = winograd_padded(ceil_div(inputs_, strips_)) + winograd_padded(outputs_);
  block_ = std::clamp(kBlockElements / (kWinogradPoints * channels), kMinBlock, kMaxBlock);
  slab_size_ = kWinogradPoints * (block_ * channels + int64_t{2} * kWinogradLanes);
  threads_ = threads_for_work(threads, tiles() * kWinogradPoints * inputs_ * outputs_);
}

int64_t WinogradFilterGrad::point_size() const { return inputs_ * winograd_padded(outputs_); }

size_t WinogradFilterGrad::scratch_bytes() const {
  return static_cast<size_t>(parts_ * kWinogradPoints * point_size() + slab_size_ * threads_) *
         sizeof(float);
}

void WinogradFilterGrad::run(const float* x, const float* dy, float* dw, void* scratch) const {
  auto* const sums = static_cast<float*>(scratch);
  const int64_t part_size = kWinogradPoints * point_size();
  float* const slabs = sums + parts_ * part_size;
  parallel_each(threads_, parts_ * strips_, [&](int64_t task, int worker) {
    const int64_t part = task / strips_;
    run_part(part, task % strips_, x, dy, sums + part * part_size, slabs + worker * slab_size_);
  });
  parallel_ranges(threads_, inputs_, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      winograd_filter_grad(sums + i * winograd_padded(outputs_), point_size(), parts_, part_size,
                           outputs_, dw + i * outputs_, inputs_ * outputs_);
    }
  });
}

void WinogradFilterGrad::run_part(int64_t part, int64_t strip, const float* x, const float* dy,
                                  float* sums, float* slab) const {
  const int64_t first = inputs_ * strip / strips_;
  const int64_t channels = inputs_ * (strip + 1) / strips_ - first;
  const int64_t in_row = winograd_padded(channels);
  const int64_t out_row = winograd_padded(outputs_);
  const int64_t in_step = block_ * in_row + kWinogradLanes;
  const int64_t out_step = block_ * out_row + kWinogradLanes;
  float* const grads = slab + kWinogradPoints * in_step;
  const int64_t width = micro_->columns();
  const int64_t part_begin = tiles() * part / parts_;
  const int64_t part_end = tiles() * (part + 1) / parts_;
  for (int64_t begin = part_begin; begin < part_end; begin += block_) {
    const int64_t end = std::min(begin + block_, part_end);
    for (int64_t tile = begin; tile < end; ++tile) {
      transform_input(x, place(tile), {}, first, channels, slab + (tile - begin) * in_row, in_step);
    }
    transform_grads(dy, begin, end, grads, out_step);
    for (int64_t p = 0; p < kWinogradPoints; ++p) {
      for (int64_t j = 0; j < out_row; j += width) {
        multiply({.rows = channels,
                  .columns = std::min(width, out_row - j),
                  .k = end - begin,
                  .a = slab + p * in_step,
                  .a_row = 1,
                  .a_step = in_row,
                  .b = grads + p * out_step + j,
                  .b_step = out_row,
                  .c = sums + p * point_size() + first * out_row + j,
                  .c_row = out_row,
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
