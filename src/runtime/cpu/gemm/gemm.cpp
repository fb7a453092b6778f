#include "runtime/cpu/gemm/gemm.h"

#include <algorithm>
#include <utility>

#include "base/ceil_div.h"
#include "runtime/cpu/cache_line.h"
#include "runtime/cpu/parallel.h"

namespace antler::runtime {
namespace {

// Multiply-adds of a tile, about 100 us. Several tiles per thread balance the load when other
// programs use a core.
constexpr int64_t kTileWork = 4 << 20;
constexpr int64_t kMaxTilesPerThread = 4;
// Largest B, in elements, that is packed once for all tiles: a larger one leaves the caches before
// it is used. For products below kMinSharedWork the second parallel region costs more than it
// saves.
constexpr int64_t kMaxShared = 1 << 20;
constexpr int64_t kMinSharedWork = 64 << 20;

}  // namespace

template <class T>
Gemm<T>::Gemm(const GemmBlock<T>& block, Batch batch, int threads)
    : block_(block), batch_(std::move(batch)) {
  const int64_t batches = static_cast<int64_t>(batch_.c.size());
  const int64_t one = block.m * block.n * std::max<int64_t>(block.k, 1);
  const int64_t work = one * batches;
  threads_ = threads_for_work(threads, work);
  int64_t tiles = 1;
  if (threads_ > 1) {
    const int64_t per_thread =
        std::clamp<int64_t>(work / threads_ / kTileWork, 1, kMaxTilesPerThread);
    tiles = ceil_div(threads_ * per_thread, std::max<int64_t>(batches, 1));
  }
  choose_tiles(tiles, /*rows_first=*/false);
  const int64_t packed = gemm_packed_columns<T>(block.n) * block.k;
  if (row_tiles_ > 1 && batches == 1 && one >= kMinSharedWork && packed <= kMaxShared &&
      gemm_packs_b(block)) {
    packed_size_ = packed;
    choose_tiles(tiles, /*rows_first=*/true);
  }
  workspace_size_ = pad_to_cache_line(gemm_workspace<T>(rows_, columns_, block.k));
}

/// Splits C into about `count` tiles, as square as possible: each tile packs its own part of A and
/// B. With a shared B (rows_first) only A is packed per tile, so rows are split first.
template <class T>
void Gemm<T>::choose_tiles(int64_t count, bool rows_first) {
  const MicroKernels<T>& micro = micro_kernels<T>();
  const int64_t rows = std::max<int64_t>(block_.m, 1);
  const int64_t columns = std::max<int64_t>(block_.n, 1);
  const int64_t row_step = micro.rows;
  const int64_t column_step = micro.columns();
  row_tiles_ = column_tiles_ = 1;
  rows_ = rows;
  columns_ = columns;
  while (row_tiles_ * column_tiles_ < count) {
    const bool can_rows = rows_ >= 2 * row_step;
    const bool can_columns = columns_ >= 2 * column_step;
    if (!can_rows && !can_columns) break;
    if (can_columns && !(rows_first && can_rows) && (columns_ >= rows_ || !can_rows)) {
      columns_ = ceil_div(ceil_div(columns, column_tiles_ + 1), column_step) * column_step;
      column_tiles_ = column_tiles_ + 1;
    } else {
      rows_ = ceil_div(ceil_div(rows, row_tiles_ + 1), row_step) * row_step;
      row_tiles_ = row_tiles_ + 1;
    }
  }
  row_tiles_ = ceil_div(rows, rows_);
  column_tiles_ = ceil_div(columns, columns_);
}

template <class T>
size_t Gemm<T>::scratch_bytes() const {
  return static_cast<size_t>(packed_size_ + workspace_size_ * threads_) * sizeof(T);
}

template <class T>
void Gemm<T>::run(const T* a, const T* b, T* c, void* scratch) const {
  T* const workspaces = static_cast<T*>(scratch) + packed_size_;
  if (shares_b()) {
    GemmBlock<T> whole = block_;
    whole.b = b + batch_.b[0];
    const int64_t step = micro_kernels<T>().columns();
    parallel_ranges(threads_, ceil_div(block_.n, step), [&](int64_t begin, int64_t end) {
      gemm_pack_b(whole, begin * step, std::min(end * step, block_.n), static_cast<T*>(scratch));
    });
  }
  const int64_t tiles = row_tiles_ * column_tiles_;
  const int64_t tasks = tiles * static_cast<int64_t>(batch_.c.size());
  parallel_each(threads_, tasks, [&](int64_t task, int worker) {
    const auto item = static_cast<size_t>(task / tiles);
    const int64_t i = task % tiles / column_tiles_ * rows_;
    const int64_t j = task % column_tiles_ * columns_;
    GemmBlock<T> block = block_;
    block.m = std::min(rows_, block_.m - i);
    block.n = std::min(columns_, block_.n - j);
    block.a = a + batch_.a[item] + i * block_.a_row_stride;
    block.b = b + batch_.b[item] + j * block_.b_col_stride;
    block.c = c + batch_.c[item] + i * block_.c_row_stride + j;
    if (shares_b()) {
      block.b_packed = static_cast<const T*>(scratch);
      block.b_packed_row_stride = gemm_packed_columns<T>(block_.n);
      block.b_packed_column = j;
    }
    gemm_block(block, workspaces + workspace_size_ * worker);
  });
}

template class Gemm<float>;
template class Gemm<double>;

}  // namespace antler::runtime
