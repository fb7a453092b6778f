#pragma once

#include <cstdint>
#include <span>

/// The innermost loop of a matrix product: a block of C of `rows` x `vectors` registers.
namespace antler::runtime {

inline constexpr int kMaxMicroRows = 12;

/// C[r][j] (+)= sum over p < k of a[r * a_row + p * a_step] * b[p * b_step + j], for the rows that
/// the kernel was made for and j < columns. b is read in whole vectors. Each element of C is summed
/// in the order of p, whatever its place in a block.
template <class T>
using MicroKernel = void (*)(int64_t k, const T* a, int64_t a_row, int64_t a_step, const T* b,
                             int64_t b_step, T* c, int64_t c_row, int64_t columns, bool accumulate);

/// The same where rows of A and C lie anywhere, as in an image that is convolved:
///
///   C[c_rows[r] + j] (+)= sum over s < segments, p < depth of
///       a[a_rows[r] + a_segments[s] + p * a_step] * b[(s * depth + p) * b_step + j]
template <class T>
struct Walk {
  const T* a = nullptr;
  const int64_t* a_rows = nullptr;
  int64_t a_row_step = 0;  ///< if not 0, a_rows[r] is a_rows[0] + r * a_row_step
  const int64_t* a_segments = nullptr;
  int64_t segments = 1;
  int64_t depth = 0;
  int64_t a_step = 1;
  const T* b = nullptr;
  int64_t b_step = 0;
  T* c = nullptr;
  const int64_t* c_rows = nullptr;
  int64_t columns = 0;
  bool accumulate = false;
};

template <class T>
using WalkKernel = void (*)(const Walk<T>& walk);

/// Copies a matrix of `k` x `count` elements (element (p, j) at from[p * k_stride + j * stride])
/// into panels of `width`: panel after panel, each [k][width]. The last panel holds the rest in its
/// width rounded up to a multiple of `round`, filled with zeros.
template <class T>
using Pack = void (*)(int64_t k, int64_t count, const T* from, int64_t k_stride, int64_t stride,
                      int64_t width, int64_t round, T* to);

/// The micro kernels of one vector extension.
template <class T>
struct MicroKernels {
  const char* name;
  int rows;   ///< rows of the largest block
  int lanes;  ///< elements of a vector; the widest block has two vectors
  // [rows - 1][vectors - 1], and before that whether depth is 1.
  MicroKernel<T> kernels[kMaxMicroRows][2];
  WalkKernel<T> walks[2][kMaxMicroRows][2];
  WalkKernel<T> even_walks[kMaxMicroRows];  // for one vector and a_row_step
  Pack<T> pack;

  int columns() const { return 2 * lanes; }
  /// Columns up to which b is read for a block of `count` columns.
  int64_t padded(int64_t count) const { return (count + lanes - 1) / lanes * lanes; }
  MicroKernel<T> kernel(int64_t row_count, int64_t column_count) const {
    return kernels[row_count - 1][column_count > lanes ? 1 : 0];
  }
  void run(int64_t row_count, const Walk<T>& walk) const {
    if (walk.a_row_step != 0 && walk.columns <= lanes) return even_walks[row_count - 1](walk);
    walks[walk.depth == 1 ? 1 : 0][row_count - 1][walk.columns > lanes ? 1 : 0](walk);
  }
};

/// Those that this CPU can run, the best first. T: float, double.
template <class T>
std::span<const MicroKernels<T>* const> all_micro_kernels();

/// The best of them.
template <class T>
const MicroKernels<T>& micro_kernels() {
  static const MicroKernels<T>& best = *all_micro_kernels<T>().front();
  return best;
}

}  // namespace antler::runtime
