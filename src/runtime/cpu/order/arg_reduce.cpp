#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "antler/core/dispatch.h"
#include "runtime/cpu/function_kernel.h"
#include "runtime/cpu/kernel_lists.h"
#include "runtime/cpu/node_view.h"
#include "runtime/cpu/order/lane_blocks.h"
#include "runtime/cpu/simd.h"

namespace antler::runtime {
namespace {

// From this length on, two passes are faster than one over sort keys.
constexpr int64_t kLongRow = 64;

/// Largest (smallest) element of a row, and whether the row has a NaN.
struct RowExtremum {
  float value;
  bool has_nan;
};
template <bool largest>
ANTLER_INLINE RowExtremum row_extremum(const float* x, int64_t count) {
  constexpr int64_t kLanes = 32;
  float tops[kLanes];
  int32_t nans[kLanes] = {};
  for (int64_t i = 0; i < kLanes; ++i) tops[i] = x[0];
  int64_t k = 0;
  for (; k + kLanes <= count; k += kLanes) {
    for (int64_t i = 0; i < kLanes; ++i) {
      const float v = x[k + i];
      tops[i] = (largest ? v > tops[i] : v < tops[i]) ? v : tops[i];
      nans[i] |= v != v ? 1 : 0;
    }
  }
  RowExtremum result{x[0], x[0] != x[0]};
  for (; k < count; ++k) {
    if (largest ? x[k] > result.value : x[k] < result.value) result.value = x[k];
    result.has_nan |= x[k] != x[k];
  }
  for (int64_t i = 0; i < kLanes; ++i) {
    if (largest ? tops[i] > result.value : tops[i] < result.value) result.value = tops[i];
    result.has_nan |= nans[i] != 0;
  }
  return result;
}
ANTLER_CLONES RowExtremum row_max(const float* x, int64_t count) {
  return row_extremum<true>(x, count);
}
ANTLER_CLONES RowExtremum row_min(const float* x, int64_t count) {
  return row_extremum<false>(x, count);
}

/// Two passes: find the extremum, then its index.
template <bool largest>
void long_rows(const float* x, int64_t rows, int64_t length, int32_t* out) {
  for (int64_t r = 0; r < rows; ++r) {
    const float* row = x + r * length;
    const RowExtremum top = largest ? row_max(row, length) : row_min(row, length);
    int64_t k = 0;
    while (top.has_nan ? row[k] == row[k] : row[k] != top.value) ++k;
    out[r] = static_cast<int32_t>(k);
  }
}

constexpr int32_t kMaxInt = std::numeric_limits<int32_t>::max();

/// An integer key in the order of the values (smallest: in reverse order), with NaN above all
/// others. Among equal values, the first has the largest key. Finding the largest key takes no
/// branches.
template <bool largest>
ANTLER_INLINE int64_t arg_key(float value, int64_t position) {
  const auto bits = std::bit_cast<int32_t>((largest ? value : -value) + 0.0F);  // -0 is 0
  const int32_t number = bits ^ ((bits >> 31) & kMaxInt);
  const int64_t key = value != value ? kMaxInt : number;
  return key * (int64_t{1} << 32) + (kMaxInt - position);
}

template <bool largest>
ANTLER_INLINE void short_rows(const float* x, int64_t rows, int64_t length, int32_t* out) {
  for (int64_t r = 0; r < rows; ++r) {
    const float* const row = x + r * length;
    int64_t best = arg_key<largest>(row[0], 0);
    for (int64_t k = 1; k < length; ++k) best = std::max(best, arg_key<largest>(row[k], k));
    out[r] = kMaxInt - static_cast<int32_t>(best & 0xffffffff);
  }
}
ANTLER_CLONES void short_rows_max(const float* x, int64_t rows, int64_t length, int32_t* out) {
  short_rows<true>(x, rows, length, out);
}
ANTLER_CLONES void short_rows_min(const float* x, int64_t rows, int64_t length, int32_t* out) {
  short_rows<false>(x, rows, length, out);
}

using Rows = void (*)(const float* x, int64_t rows, int64_t length, int32_t* out);

std::unique_ptr<LibraryKernel> make_rows(Rows find, int64_t rows, int64_t length, int threads) {
  const int64_t bytes = rows * length * int64_t{sizeof(float)};
  return function_kernel("arg reduce", 0, [=](void* const* buffers, void*) {
    const float* x = static_cast<const float*>(buffers[0]);
    auto* out = static_cast<int32_t*>(buffers[1]);
    parallel_ranges(threads_for_bytes(threads, bytes), rows, [&](int64_t begin, int64_t end) {
      find(x + begin * length, end - begin, length, out + begin);
    });
  });
}

/// The first extremum of each lane; the first NaN wins.
template <class T, bool largest>
std::unique_ptr<LibraryKernel> make_typed(const ops::Lanes& lanes, int threads) {
  const int64_t bytes = lanes.outer * lanes.length * lanes.inner * static_cast<int64_t>(sizeof(T));
  return function_kernel("arg reduce", 0, [=](void* const* buffers, void*) {
    using C = ComputeType<T>;
    const T* x = static_cast<const T*>(buffers[0]);
    auto* out = static_cast<int32_t*>(buffers[1]);
    for_each_lane_block(lanes, bytes, threads,
                        [&](int64_t first, int64_t count, int64_t lane, int) {
                          C top[kLaneBlock];
                          int32_t best[kLaneBlock];
                          for (int64_t i = 0; i < count; ++i) {
                            top[i] = static_cast<C>(x[first + i]);
                            best[i] = 0;
                          }
                          for (int64_t k = 1; k < lanes.length; ++k) {
                            const T* row = x + first + k * lanes.inner;
                            for (int64_t i = 0; i < count; ++i) {
                              const C candidate = static_cast<C>(row[i]);
                              const bool better = largest ? candidate > top[i] : candidate < top[i];
                              if (top[i] == top[i] && (better || candidate != candidate)) {
                                top[i] = candidate;
                                best[i] = static_cast<int32_t>(k);
                              }
                            }
                          }
                          std::copy_n(best, count, out + lane);
                        });
  });
}

std::unique_ptr<LibraryKernel> make_arg_reduce(const ir::Graph& graph, const ir::Node& node,
                                               const KernelContext& context, std::string*) {
  const TensorSpec& x = input_spec(graph, node, 0);
  const ops::Lanes lanes(x.shape, node.attrs.integer("axis"));
  const bool largest = std::string_view(node.op->name) == "argmax";
  if (x.dtype == DType::float32 && lanes.inner == 1) {
    const bool is_short = lanes.length < kLongRow;
    const Rows find = is_short ? (largest ? short_rows_max : short_rows_min)
                               : (largest ? long_rows<true> : long_rows<false>);
    return make_rows(find, lanes.outer, lanes.length, context.threads);
  }
  return dispatch(x.dtype, [&]<class T>() {
    return largest ? make_typed<T, true>(lanes, context.threads)
                   : make_typed<T, false>(lanes, context.threads);
  });
}

}  // namespace

CandidateSpan arg_reduce_kernels() {
  static constexpr Candidate kKernels[] = {{"arg reduce", make_arg_reduce}};
  return kKernels;
}

}  // namespace antler::runtime
