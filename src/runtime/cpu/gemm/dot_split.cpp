#include "runtime/cpu/gemm/dot_split.h"

namespace antler::runtime {
namespace {

constexpr int64_t kMinShare = 16;       // rows, columns or k of a share
constexpr int64_t kShareMultiple = 16;  // columns and k are split at multiples of this

enum class Axis { none, m, n, k };

/// The outer dimension of the weights or their gradient.
Axis outer_axis_of_weights(const DotLayout& d, bool is_float32) {
  const int64_t lhs = d.m * d.k;
  const int64_t rhs = d.k * d.n;
  const int64_t result = d.m * d.n;
  if (result >= lhs && result >= rhs) return Axis::m;
  const bool lhs_is_transposed = d.lhs.free_stride < d.lhs.contract_stride;
  const bool rhs_is_transposed = d.rhs.free_stride > d.rhs.contract_stride;
  // Two activations whose outer dimension is k: the gradient of small weights.
  if (lhs_is_transposed && !rhs_is_transposed) return is_float32 ? Axis::m : Axis::none;
  if (rhs < lhs) return Axis::none;
  return rhs_is_transposed ? Axis::n : Axis::k;
}

/// Whether the partial results of split k, [parts, m, n], have no more elements than the weights,
/// [k, n].
bool is_split_k_cheap(const DotLayout& d, int parts) { return parts * d.m <= d.k; }

}  // namespace

DotSplit split_dot(const DotLayout& layout, int threads, bool is_float32) {
  DotSplit split;
  if (threads < 2 || layout.batches != 1) return split;
  Axis axis = outer_axis_of_weights(layout, is_float32);
  if (axis == Axis::none) return split;
  if (axis == Axis::k && !(is_float32 && is_split_k_cheap(layout, threads))) axis = Axis::m;
  if (axis == Axis::m && layout.m < threads * kMinShare) axis = Axis::n;
  const int64_t size = axis == Axis::m ? layout.m : axis == Axis::n ? layout.n : layout.k;
  if (size < threads * kMinShare) return split;
  split.split_k = axis == Axis::k;
  const auto begin_of = [&](int part) {
    if (part == threads) return size;
    const int64_t at = size * part / threads;
    // Rows are split in the same way as element-wise kernels split the result.
    return axis == Axis::m ? at : at / kShareMultiple * kShareMultiple;
  };
  for (int part = 0; part < threads; ++part) {
    const int64_t begin = begin_of(part);
    const int64_t count = begin_of(part + 1) - begin;
    DotShare share{.m = layout.m, .n = layout.n, .k = layout.k};
    if (axis == Axis::m) {
      share.m = count;
      share.lhs_offset = begin * layout.lhs.free_stride;
      share.result_offset = begin * layout.n;
    } else if (axis == Axis::n) {
      share.n = count;
      share.rhs_offset = begin * layout.rhs.free_stride;
      share.result_offset = begin;
    } else {
      share.k = count;
      share.lhs_offset = begin * layout.lhs.contract_stride;
      share.rhs_offset = begin * layout.rhs.contract_stride;
    }
    split.shares.push_back(share);
  }
  return split;
}

}  // namespace antler::runtime
