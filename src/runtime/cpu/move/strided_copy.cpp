#include "runtime/cpu/move/strided_copy.h"

#include <algorithm>
#include <cstring>

#include "runtime/cpu/parallel.h"
#include "runtime/cpu/simd.h"

namespace antler::runtime {
namespace {

// Rows per block of a transpose. The cache lines that a block reads and writes fit into L1.
constexpr int64_t kBlock = 32;

/// out[j * out_row + i] = in[i * in_row + j], i < rows, j < columns.
template <class T>
void transpose_block(int64_t rows, int64_t columns, const T* in, int64_t in_row, T* out,
                     int64_t out_row) {
  int64_t j0 = 0;
  if constexpr (sizeof(T) == 4) {
    typedef T Four __attribute__((vector_size(16), aligned(4), may_alias));
    for (; j0 + 4 <= columns; j0 += 4) {
      int64_t i = 0;
      for (; i + 4 <= rows; i += 4) {
        const T* from = in + i * in_row + j0;
        T* to = out + j0 * out_row + i;
        const Four r0 = *reinterpret_cast<const Four*>(from);
        const Four r1 = *reinterpret_cast<const Four*>(from + in_row);
        const Four r2 = *reinterpret_cast<const Four*>(from + 2 * in_row);
        const Four r3 = *reinterpret_cast<const Four*>(from + 3 * in_row);
        const Four a = __builtin_shufflevector(r0, r1, 0, 4, 1, 5);
        const Four b = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
        const Four c = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
        const Four d = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
        *reinterpret_cast<Four*>(to) = __builtin_shufflevector(a, b, 0, 1, 4, 5);
        *reinterpret_cast<Four*>(to + out_row) = __builtin_shufflevector(a, b, 2, 3, 6, 7);
        *reinterpret_cast<Four*>(to + 2 * out_row) = __builtin_shufflevector(c, d, 0, 1, 4, 5);
        *reinterpret_cast<Four*>(to + 3 * out_row) = __builtin_shufflevector(c, d, 2, 3, 6, 7);
      }
      for (; i < rows; ++i) {
        for (int64_t j = j0; j < j0 + 4; ++j) out[j * out_row + i] = in[i * in_row + j];
      }
    }
  }
  for (int64_t j = j0; j < columns; ++j) {
    for (int64_t i = 0; i < rows; ++i) out[j * out_row + i] = in[i * in_row + j];
  }
}

}  // namespace

StridedCopy::StridedCopy(size_t element_size, const std::vector<int64_t>& shape,
                         const std::vector<int64_t>& in_strides,
                         const std::vector<int64_t>& out_strides)
    : element_size_(element_size), items_(1) {
  std::vector<Dim> dims;
  int64_t count = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    count *= shape[i];
    if (shape[i] != 1) dims.push_back({shape[i], in_strides[i], out_strides[i]});
  }
  bytes_ = count * static_cast<int64_t>(element_size);
  if (count == 0) {
    items_ = 0;
    return;
  }
  std::stable_sort(dims.begin(), dims.end(),
                   [](const Dim& a, const Dim& b) { return a.out > b.out; });
  // Merge adjacent dimensions that are contiguous in both layouts.
  std::vector<Dim> merged;
  for (const Dim& dim : dims) {
    if (!merged.empty() && merged.back().in == dim.in * dim.size &&
        merged.back().out == dim.out * dim.size) {
      merged.back() = {merged.back().size * dim.size, dim.in, dim.out};
    } else {
      merged.push_back(dim);
    }
  }
  if (merged.empty()) {
    inner_ = {1, 1, 1};
    return;
  }
  inner_ = merged.back();
  merged.pop_back();
  if (inner_.in != 1) {
    const auto unit =
        std::find_if(merged.begin(), merged.end(), [](const Dim& dim) { return dim.in == 1; });
    if (unit != merged.end()) {
      transposed_ = *unit;
      merged.erase(unit);
      // Blocks of the inner dimension are outer items, so that threads can split a single plane.
      const int64_t blocks = (inner_.size + kBlock - 1) / kBlock;
      merged.push_back({blocks, inner_.in * kBlock, inner_.out * kBlock});
    }
  }
  outer_ = std::move(merged);
  for (const Dim& dim : outer_) items_ *= dim.size;
}

template <class T>
void StridedCopy::run_typed(const T* in, T* out, int threads) const {
  parallel_ranges(threads_for_bytes(threads, bytes_), items_, [&](int64_t begin, int64_t end) {
    for (int64_t item = begin; item < end; ++item) {
      const T* from = in;
      T* to = out;
      int64_t rest = item;
      int64_t innermost = 0;
      for (size_t d = outer_.size(); d-- > 0;) {
        const int64_t index = rest % outer_[d].size;
        rest /= outer_[d].size;
        from += index * outer_[d].in;
        to += index * outer_[d].out;
        if (d + 1 == outer_.size()) innermost = index;
      }
      if (transposed_.size > 1) {
        const int64_t rows = std::min(kBlock, inner_.size - innermost * kBlock);
        if (inner_.out == 1) {
          transpose_block(rows, transposed_.size, from, inner_.in, to, transposed_.out);
        } else {
          for (int64_t i = 0; i < rows; ++i) {
            for (int64_t j = 0; j < transposed_.size; ++j) {
              to[i * inner_.out + j * transposed_.out] = from[i * inner_.in + j];
            }
          }
        }
      } else if (inner_.in == 1 && inner_.out == 1) {
        std::memcpy(to, from, static_cast<size_t>(inner_.size) * sizeof(T));
      } else {
        for (int64_t i = 0; i < inner_.size; ++i) to[i * inner_.out] = from[i * inner_.in];
      }
    }
  });
}

void StridedCopy::run(const void* in, void* out, int threads) const {
  switch (element_size_) {
    case 1:
      return run_typed(static_cast<const uint8_t*>(in), static_cast<uint8_t*>(out), threads);
    case 2:
      return run_typed(static_cast<const uint16_t*>(in), static_cast<uint16_t*>(out), threads);
    case 4:
      return run_typed(static_cast<const uint32_t*>(in), static_cast<uint32_t*>(out), threads);
    default:
      return run_typed(static_cast<const uint64_t*>(in), static_cast<uint64_t*>(out), threads);
  }
}

}  // namespace antler::runtime
