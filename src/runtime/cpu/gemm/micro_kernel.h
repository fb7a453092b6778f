#pragma once

#include <cstdint>
#include <span>

#include "base/ceil_div.h"

/// The innermost loop of GEMM and of the convolutions: a register tile of C of `rows` x `vectors`
/// vector registers. Handwritten because oneDNN's sums depend on the number of threads, its calls
/// cost too much for small products, and its matmul does not take rows at arbitrary offsets, which
/// the convolutions here need.
namespace antler::runtime {

inline constexpr int kMaxMicroRows = 12;

/// C[r][j] (+)= sum over p < k of a[r * a_row_stride + p * a_col_stride] * b[p * b_row_stride + j],
/// for the kernel's number of rows and j < columns. b is read in whole vectors. Each element of C
/// is summed in the order of p.
template <class T>
using MicroKernel = void (*)(int64_t k, const T* a, int64_t a_row_stride, int64_t a_col_stride,
                             const T* b, int64_t b_row_stride, T* c, int64_t c_row_stride,
                             int64_t columns, bool accumulate);

/// Arguments of an indirect GEMM: rows of A and C at arbitrary offsets, and each row of A in
/// segments, as for a convolution without im2col:
///
///   C[c_row_offsets[r] + j] (+)= sum over s < segments, p < depth of
///       a[a_row_offsets[r] + segment_offsets[s] + p * a_col_stride] *
///       b[(s * depth + p) * b_row_stride + j]
template <class T>
struct IndirectArgs {
  const T* a = nullptr;
  const int64_t* a_row_offsets = nullptr;
  int64_t a_row_stride = 0;  ///< if not 0: a_row_offsets[r] = a_row_offsets[0] + r * a_row_stride
  const int64_t* segment_offsets = nullptr;
  int64_t segments = 1;
  int64_t depth = 0;
  int64_t a_col_stride = 1;
  const T* b = nullptr;
  int64_t b_row_stride = 0;
  T* c = nullptr;
  const int64_t* c_row_offsets = nullptr;
  int64_t columns = 0;
  bool accumulate = false;
};

template <class T>
using IndirectKernel = void (*)(const IndirectArgs<T>& args);

/// Packs a matrix of `k` x `count` elements (element (p, j) at from[p * k_stride + j * stride])
/// into panels [k][width]. The width of the last panel is the remainder rounded up to a multiple of
/// `round`, padded with zeros.
template <class T>
using Pack = void (*)(int64_t k, int64_t count, const T* from, int64_t k_stride, int64_t stride,
                      int64_t width, int64_t round, T* to);

/// The micro-kernels of one vector extension.
template <class T>
struct MicroKernels {
  const char* name;
  int rows;   ///< of the largest register tile
  int lanes;  ///< elements of a vector; the widest tile has two vectors
  MicroKernel<T> kernels[kMaxMicroRows][2];           // [rows - 1][vectors - 1]
  IndirectKernel<T> indirect[2][kMaxMicroRows][2];    // [depth == 1][rows - 1][vectors - 1]
  IndirectKernel<T> strided_indirect[kMaxMicroRows];  // [rows - 1], one vector, a_row_stride != 0
  Pack<T> pack;

  int columns() const { return 2 * lanes; }
  /// Columns of b that a tile of `count` columns reads: whole vectors.
  int64_t padded(int64_t count) const { return round_up(count, lanes); }
  MicroKernel<T> kernel(int64_t row_count, int64_t column_count) const {
    return kernels[row_count - 1][column_count > lanes ? 1 : 0];
  }
  void run_indirect(int64_t row_count, const IndirectArgs<T>& args) const {
    if (args.a_row_stride != 0 && args.columns <= lanes) {
      return strided_indirect[row_count - 1](args);
    }
    indirect[args.depth == 1 ? 1 : 0][row_count - 1][args.columns > lanes ? 1 : 0](args);
  }
};

/// The micro-kernels that this CPU can run, best first. T: float, double.
template <class T>
std::span<const MicroKernels<T>* const> all_micro_kernels();

template <class T>
const MicroKernels<T>& micro_kernels() {
  static const MicroKernels<T>& best = *all_micro_kernels<T>().front();
  return best;
}

}  // namespace antler::runtime
