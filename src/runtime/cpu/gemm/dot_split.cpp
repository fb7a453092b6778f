#include "runtime/cpu/gemm/dot_split.h"

namespace antler::runtime {
namespace {

// Rows, columns or terms of a share at least, and what they are a multiple of.
constexpr int64_t kFewest = 16;
constexpr int64_t kStep = 16;

enum class Side { none, rows, columns, terms };

/// The side along which the largest of the three matrices lies in memory, where that is one that
/// stays from step to step: weights, or their gradient.
Side side_of_weights(const DotLayout& d, bool is_float32) {
  const int64_t lhs = d.m * d.k;
  const int64_t rhs = d.k * d.n;
  const int64_t result = d.m * d.n;
  if (result >= lhs && result >= rhs) return Side::rows;
  const bool lhs_lies_across = d.lhs.free_stride < d.lhs.contract_stride;
  const bool rhs_lies_across = d.rhs.free_stride > d.rhs.contract_stride;
  // Two operands whose rows are terms are activations, of the gradient of few weights.
  if (lhs_lies_across && !rhs_lies_across) return is_float32 ? Side::rows : Side::none;
  if (rhs < lhs) return Side::none;
  return rhs_lies_across ? Side::columns : Side::terms;
}

/// Whether the partial results have no more elements than the weights, which stay where they are.
bool sums_are_cheap(const DotLayout& d, int parts) { return parts * d.m <= d.k; }

}  // namespace

DotSplit split_dot(const DotLayout& layout, int threads, bool is_float32) {
  DotSplit split;
  if (threads < 2 || layout.batches != 1) return split;
  Side side = side_of_weights(layout, is_float32);
  if (side == Side::none) return split;
  if (side == Side::terms && !(is_float32 && sums_are_cheap(layout, threads))) {
    side = Side::rows;
  }
  if (side == Side::rows && layout.m < threads * kFewest) side = Side::columns;
  const int64_t size = side == Side::rows ? layout.m : side == Side::columns ? layout.n : layout.k;
  if (size < threads * kFewest) return split;
  split.of_terms = side == Side::terms;
  const auto border = [&](int part) {
    if (part == threads) return size;
    const int64_t at = size * part / threads;
    // Rows are cut where the elements of the result are.
    return side == Side::rows ? at : at / kStep * kStep;
  };
  for (int part = 0; part < threads; ++part) {
    const int64_t begin = border(part);
    const int64_t count = border(part + 1) - begin;
    DotShare share{.m = layout.m, .n = layout.n, .k = layout.k};
    if (side == Side::rows) {
      share.m = count;
      share.lhs_at = begin * layout.lhs.free_stride;
      share.result_at = begin * layout.n;
    } else if (side == Side::columns) {
      share.n = count;
      share.rhs_at = begin * layout.rhs.free_stride;
      share.result_at = begin;
    } else {
      share.k = count;
      share.lhs_at = begin * layout.lhs.contract_stride;
      share.rhs_at = begin * layout.rhs.contract_stride;
    }
    split.shares.push_back(share);
  }
  return split;
}

}  // namespace antler::runtime
