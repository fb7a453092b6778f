#include "runtime/cpu/gemm/gemm_block.h"

#include <algorithm>

#include "base/ceil_div.h"
#include "runtime/cpu/cache_line.h"

namespace antler::runtime {
namespace {

// Cache blocks: a panel of B of kMaxKc x 16 floats takes half of a 32 KiB L1, a block of A of
// kMaxMc x kMaxKc a part of L2.
constexpr int64_t kMaxKc = 256;
constexpr int64_t kMaxMc = 96;
constexpr int64_t kMaxNc = 1024;
// Largest kc * b_row_stride of a B that is read in place.
constexpr int64_t kMaxInPlace = 20480;

/// k split into equal blocks of at most kMaxKc. Depends on k only, and so does the order of sums.
int64_t kc_of(int64_t k) {
  const int64_t blocks = ceil_div(k, kMaxKc);
  return blocks <= 1 ? k : ceil_div(k, blocks);
}

/// Whether to pack A. Each of its elements is used n / 16 times. Without packing, a row-major A is
/// read in order, but a column-major A takes one cache line per step of k.
template <class T>
bool packs_a(const GemmBlock<T>& g) {
  if (g.a_col_stride == 1) return g.n > 96;
  return !(g.a_row_stride == 1 && g.n <= 32);
}

/// Whether to pack B. Each of its elements is used m times. It is read in place only if its rows
/// are contiguous and close enough together for a panel to stay in L1.
template <class T>
bool packs_b(const GemmBlock<T>& g, int64_t kc) {
  if (g.b_col_stride != 1) return true;
  if (g.m <= 4) return false;
  return kc * g.b_row_stride > kMaxInPlace || g.m > (g.b_row_stride % 64 == 0 ? 48 : 96);
}

/// Splits m rows into panels whose heights differ by at most one: in a short last panel there would
/// be too few independent FMAs to hide their latency.
struct RowPanels {
  int64_t height;  // of the first `tall` panels; the others have one row less
  int64_t tall;
  int64_t count;

  RowPanels(int64_t m, int64_t max_height) : count(ceil_div(m, max_height)) {
    height = ceil_div(m, count);
    tall = m - count * (height - 1);
  }
  int64_t tall_rows() const { return tall * height; }
};

/// A block of A, packed or in place.
template <class T>
struct RowBlock {
  RowPanels panels;
  int64_t kc;
  const T* a;
  int64_t a_row_stride, a_col_stride;
  bool packed;

  void pack(const MicroKernels<T>& micro, int64_t m, T* to) {
    const int64_t tall = panels.tall_rows();
    micro.pack(kc, tall, a, a_col_stride, a_row_stride, panels.height, 1, to);
    if (tall < m) {
      micro.pack(kc, m - tall, a + tall * a_row_stride, a_col_stride, a_row_stride,
                 panels.height - 1, 1, to + tall * kc);
    }
    a = to;
    packed = true;
  }

  /// Multiplies the block by one panel of B.
  void run(const MicroKernels<T>& micro, const T* b, int64_t b_row_stride, int64_t columns, T* c,
           int64_t c_row_stride, bool accumulate) const {
    const T* from = a;
    for (int64_t i = 0; i < panels.count; ++i) {
      const int64_t rows = i < panels.tall ? panels.height : panels.height - 1;
      micro.kernel(rows, columns)(kc, from, packed ? 1 : a_row_stride, packed ? rows : a_col_stride,
                                  b, b_row_stride, c, c_row_stride, columns, accumulate);
      from += rows * (packed ? kc : a_row_stride);
      c += rows * c_row_stride;
    }
  }
};

}  // namespace

template <class T>
int64_t gemm_workspace(int64_t m, int64_t n, int64_t k) {
  const int64_t max_kc = std::min(kc_of(k), k);
  const int64_t width = round_up(std::min(n, kMaxNc), micro_kernels<T>().columns());
  return pad_to_cache_line(std::min(m, kMaxMc) * max_kc) + width * max_kc + 16;
}

template <class T>
bool gemm_packs_b(const GemmBlock<T>& block) {
  return packs_b(block, kc_of(block.k));
}

template <class T>
int64_t gemm_packed_columns(int64_t n) {
  return round_up(n, micro_kernels<T>().columns());
}

template <class T>
void gemm_pack_b(const GemmBlock<T>& g, int64_t begin, int64_t end, T* to) {
  const MicroKernels<T>& micro = micro_kernels<T>();
  const int64_t max_kc = kc_of(g.k);
  const int64_t row = gemm_packed_columns<T>(g.n);
  for (int64_t p0 = 0; p0 < g.k; p0 += max_kc) {
    const int64_t kc = std::min(max_kc, g.k - p0);
    micro.pack(kc, end - begin, g.b + p0 * g.b_row_stride + begin * g.b_col_stride, g.b_row_stride,
               g.b_col_stride, micro.columns(), micro.lanes, to + p0 * row + begin * kc);
  }
}

template <class T>
void gemm_block(const GemmBlock<T>& g, T* workspace) {
  const MicroKernels<T>& micro = micro_kernels<T>();
  const int64_t max_kc = kc_of(g.k);
  const int64_t blocks = ceil_div(g.m, kMaxMc);
  const int64_t height = blocks <= 1 ? g.m : round_up(ceil_div(g.m, blocks), micro.rows);
  T* const a_pack = workspace;
  T* const b_pack = workspace + pad_to_cache_line(std::min(g.m, kMaxMc) * max_kc);
  if (g.k == 0 && !g.accumulate) {
    for (int64_t i = 0; i < g.m; ++i) std::fill_n(g.c + i * g.c_row_stride, g.n, T(0));
  }
  if (g.m == 0 || g.n == 0) return;
  const bool pack_a = packs_a(g);
  const bool shared = g.b_packed != nullptr;
  const bool pack_b = shared || packs_b(g, max_kc);
  for (int64_t j0 = 0; j0 < g.n; j0 += kMaxNc) {
    const int64_t nc = std::min(kMaxNc, g.n - j0);
    for (int64_t p0 = 0; p0 < g.k; p0 += max_kc) {
      const int64_t kc = std::min(max_kc, g.k - p0);
      const bool accumulate = g.accumulate || p0 > 0;
      const T* b = g.b + p0 * g.b_row_stride + j0 * g.b_col_stride;
      // Columns of B that are read in place: full panels only.
      const int64_t in_place = pack_b ? 0 : nc / micro.columns() * micro.columns();
      if (!shared) {
        micro.pack(kc, nc - in_place, b + in_place * g.b_col_stride, g.b_row_stride, g.b_col_stride,
                   micro.columns(), micro.lanes, b_pack);
      }
      const T* const panels =
          shared ? g.b_packed + p0 * g.b_packed_row_stride + (g.b_packed_column + j0) * kc : b_pack;
      for (int64_t i0 = 0; i0 < g.m; i0 += height) {
        const int64_t mc = std::min(height, g.m - i0);
        const T* a = g.a + i0 * g.a_row_stride + p0 * g.a_col_stride;
        RowBlock<T> rows{RowPanels(mc, micro.rows), kc, a, g.a_row_stride, g.a_col_stride, false};
        if (pack_a) rows.pack(micro, mc, a_pack);
        T* c = g.c + i0 * g.c_row_stride + j0;
        for (int64_t j = 0; j < nc; j += micro.columns()) {
          const int64_t columns = std::min<int64_t>(micro.columns(), nc - j);
          const bool is_packed = j >= in_place;
          rows.run(micro, is_packed ? panels + (j - in_place) * kc : b + j,
                   is_packed ? micro.padded(columns) : g.b_row_stride, columns, c + j,
                   g.c_row_stride, accumulate);
        }
      }
    }
  }
}

template int64_t gemm_workspace<float>(int64_t, int64_t, int64_t);
template int64_t gemm_workspace<double>(int64_t, int64_t, int64_t);
template bool gemm_packs_b<float>(const GemmBlock<float>&);
template bool gemm_packs_b<double>(const GemmBlock<double>&);
template int64_t gemm_packed_columns<float>(int64_t);
template int64_t gemm_packed_columns<double>(int64_t);
template void gemm_pack_b<float>(const GemmBlock<float>&, int64_t, int64_t, float*);
template void gemm_pack_b<double>(const GemmBlock<double>&, int64_t, int64_t, double*);
template void gemm_block<float>(const GemmBlock<float>&, float*);
template void gemm_block<double>(const GemmBlock<double>&, double*);

}  // namespace antler::runtime
