#include "runtime/cpu/gemm/gemm_block.h"

#include <algorithm>

#include "runtime/cpu/ceil_div.h"

namespace antler::runtime {
namespace {

// A panel of B of kDepth x 16 floats takes half of a 32 KiB first-level cache; a block of A of
// kHeight x kDepth a part of the second level.
constexpr int64_t kDepth = 256;
constexpr int64_t kHeight = 96;
constexpr int64_t kWidth = 1024;
// Elements of a B that is read in place.
constexpr int64_t kInPlace = 20480;

/// Equal parts of k of at most kDepth: depends on k alone, and so do the sums.
int64_t depth_of(int64_t k) {
  const int64_t parts = ceil_div(k, kDepth);
  return parts <= 1 ? k : ceil_div(k, parts);
}

/// Whether to copy A: each element is used n / 16 times. Read in place, rows cost nothing extra,
/// columns one cache line per row of the product.
template <class T>
bool packs_a(const GemmBlock<T>& g) {
  if (g.a_column == 1) return g.n > 96;
  return !(g.a_row == 1 && g.n <= 32);
}

/// Whether to copy B: each element is used m times. In place only where rows are contiguous, and a
/// panel of B stays in the first-level cache although its rows lie apart.
template <class T>
bool packs_b(const GemmBlock<T>& g, int64_t depth) {
  if (g.b_column != 1) return true;
  if (g.m <= 4) return false;
  return depth * g.b_row > kInPlace || g.m > (g.b_row % 64 == 0 ? 48 : 96);
}

/// m rows as panels of equal height or one less: a short last panel would leave the pipeline of
/// multiply-adds half empty.
struct RowPanels {
  int64_t height;  // of the first `tall` panels; the others have one row less
  int64_t tall;
  int64_t count;

  RowPanels(int64_t m, int64_t most) : count((m + most - 1) / most) {
    height = (m + count - 1) / count;
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
  int64_t a_row, a_step;
  bool packed;

  void pack(const MicroKernels<T>& micro, int64_t m, T* to) {
    const int64_t tall = panels.tall_rows();
    micro.pack(kc, tall, a, a_step, a_row, panels.height, 1, to);
    if (tall < m) {
      micro.pack(kc, m - tall, a + tall * a_row, a_step, a_row, panels.height - 1, 1,
                 to + tall * kc);
    }
    a = to;
    packed = true;
  }

  /// Times one panel of columns of B.
  void run(const MicroKernels<T>& micro, const T* b, int64_t b_step, int64_t columns, T* c,
           int64_t c_row, bool accumulate) const {
    const T* from = a;
    for (int64_t i = 0; i < panels.count; ++i) {
      const int64_t rows = i < panels.tall ? panels.height : panels.height - 1;
      micro.kernel(rows, columns)(kc, from, packed ? 1 : a_row, packed ? rows : a_step, b, b_step,
                                  c, c_row, columns, accumulate);
      from += rows * (packed ? kc : a_row);
      c += rows * c_row;
    }
  }
};

}  // namespace

template <class T>
int64_t gemm_workspace(int64_t m, int64_t n, int64_t k) {
  const int64_t depth = std::min(depth_of(k), k);
  const int64_t width = round_up(std::min(n, kWidth), micro_kernels<T>().columns());
  return pad_to_cache_line(std::min(m, kHeight) * depth) + width * depth + 16;
}

template <class T>
bool gemm_packs_b(const GemmBlock<T>& block) {
  return packs_b(block, depth_of(block.k));
}

template <class T>
int64_t gemm_packed_row(int64_t n) {
  return round_up(n, micro_kernels<T>().columns());
}

template <class T>
void gemm_pack_b(const GemmBlock<T>& g, int64_t begin, int64_t end, T* to) {
  const MicroKernels<T>& micro = micro_kernels<T>();
  const int64_t depth = depth_of(g.k);
  const int64_t row = gemm_packed_row<T>(g.n);
  for (int64_t p0 = 0; p0 < g.k; p0 += depth) {
    const int64_t kc = std::min(depth, g.k - p0);
    micro.pack(kc, end - begin, g.b + p0 * g.b_row + begin * g.b_column, g.b_row, g.b_column,
               micro.columns(), micro.lanes, to + p0 * row + begin * kc);
  }
}

template <class T>
void gemm_block(const GemmBlock<T>& g, T* workspace) {
  const MicroKernels<T>& micro = micro_kernels<T>();
  const int64_t depth = depth_of(g.k);
  const int64_t blocks = (g.m + kHeight - 1) / kHeight;
  const int64_t height = blocks <= 1 ? g.m : round_up(ceil_div(g.m, blocks), micro.rows);
  T* const a_pack = workspace;
  T* const b_pack = workspace + pad_to_cache_line(std::min(g.m, kHeight) * depth);
  if (g.k == 0 && !g.accumulate) {
    for (int64_t i = 0; i < g.m; ++i) std::fill_n(g.c + i * g.c_row, g.n, T(0));
  }
  if (g.m == 0 || g.n == 0) return;
  const bool pack_a = packs_a(g);
  const bool shared = g.b_packed != nullptr;
  const bool pack_b = shared || packs_b(g, depth);
  for (int64_t j0 = 0; j0 < g.n; j0 += kWidth) {
    const int64_t nc = std::min(kWidth, g.n - j0);
    for (int64_t p0 = 0; p0 < g.k; p0 += depth) {
      const int64_t kc = std::min(depth, g.k - p0);
      const bool accumulate = g.accumulate || p0 > 0;
      const T* b = g.b + p0 * g.b_row + j0 * g.b_column;
      // Columns of B that are read in place: whole vectors only.
      const int64_t plain = pack_b ? 0 : nc / micro.columns() * micro.columns();
      if (!shared) {
        micro.pack(kc, nc - plain, b + plain * g.b_column, g.b_row, g.b_column, micro.columns(),
                   micro.lanes, b_pack);
      }
      const T* const panels =
          shared ? g.b_packed + p0 * g.b_packed_row + (g.b_packed_column + j0) * kc : b_pack;
      for (int64_t i0 = 0; i0 < g.m; i0 += height) {
        const int64_t mc = std::min(height, g.m - i0);
        const T* a = g.a + i0 * g.a_row + p0 * g.a_column;
        RowBlock<T> rows{RowPanels(mc, micro.rows), kc, a, g.a_row, g.a_column, false};
        if (pack_a) rows.pack(micro, mc, a_pack);
        T* c = g.c + i0 * g.c_row + j0;
        for (int64_t j = 0; j < nc; j += micro.columns()) {
          const int64_t columns = std::min<int64_t>(micro.columns(), nc - j);
          const bool in_place = j < plain;
          rows.run(micro, in_place ? b + j : panels + (j - plain) * kc,
                   in_place ? g.b_row : micro.padded(columns), columns, c + j, g.c_row, accumulate);
        }
      }
    }
  }
}

template int64_t gemm_workspace<float>(int64_t, int64_t, int64_t);
template int64_t gemm_workspace<double>(int64_t, int64_t, int64_t);
template bool gemm_packs_b<float>(const GemmBlock<float>&);
template bool gemm_packs_b<double>(const GemmBlock<double>&);
template int64_t gemm_packed_row<float>(int64_t);
template int64_t gemm_packed_row<double>(int64_t);
template void gemm_pack_b<float>(const GemmBlock<float>&, int64_t, int64_t, float*);
template void gemm_pack_b<double>(const GemmBlock<double>&, int64_t, int64_t, double*);
template void gemm_block<float>(const GemmBlock<float>&, float*);
template void gemm_block<double>(const GemmBlock<double>&, double*);

}  // namespace antler::runtime
