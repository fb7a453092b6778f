#include "cluster/reduction.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "antler/base/error.h"
#include "antler/core/dispatch.h"

namespace antler::cluster {
namespace {

/// A NaN on either side is kept.
template <class T>
T larger(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a) return a;
    if (b != b) return b;
  }
  return a < b ? b : a;
}

template <class T>
T smaller(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a) return a;
    if (b != b) return b;
  }
  return b < a ? b : a;
}

template <class T, ops::ReduceOp kOp>
void combine(void* result, const void* a, const void* b, size_t count) {
  using Compute = ComputeType<T>;
  auto* out = static_cast<T*>(result);
  const auto* left = static_cast<const T*>(a);
  const auto* right = static_cast<const T*>(b);
  for (size_t i = 0; i < count; ++i) {
    const auto x = static_cast<Compute>(left[i]);
    const auto y = static_cast<Compute>(right[i]);
    if constexpr (kOp == ops::ReduceOp::max) {
      out[i] = static_cast<T>(larger(x, y));
    } else if constexpr (kOp == ops::ReduceOp::min) {
      out[i] = static_cast<T>(smaller(x, y));
    } else if constexpr (std::is_integral_v<T>) {
      // Unsigned arithmetic wraps around; overflow of signed integers is undefined.
      using Unsigned = std::make_unsigned_t<T>;
      out[i] = static_cast<T>(
          static_cast<Unsigned>(static_cast<Unsigned>(x) + static_cast<Unsigned>(y)));
    } else {
      out[i] = static_cast<T>(x + y);
    }
  }
}

template <class T>
Reduction reduction_of(ops::ReduceOp op) {
  switch (op) {
    case ops::ReduceOp::max:
      return combine<T, ops::ReduceOp::max>;
    case ops::ReduceOp::min:
      return combine<T, ops::ReduceOp::min>;
    case ops::ReduceOp::sum:
    case ops::ReduceOp::mean:
      break;
  }
  return combine<T, ops::ReduceOp::sum>;
}

/// Adds half-precision values in blocks that stay in the innermost cache.
template <class T>
void add_halves(T* result, std::span<const void* const> operands, size_t count, bool mean) {
  constexpr size_t kBlock = 512;
  std::array<float, kBlock> sums;
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t n = std::min(kBlock, count - begin);
    const auto* const first = static_cast<const T*>(operands[0]) + begin;
    for (size_t i = 0; i < n; ++i) sums[i] = static_cast<float>(first[i]);
    for (const void* const operand : operands.subspan(1)) {
      const auto* const values = static_cast<const T*>(operand) + begin;
      for (size_t i = 0; i < n; ++i) sums[i] += static_cast<float>(values[i]);
    }
    const float scale = static_cast<float>(operands.size());
    for (size_t i = 0; i < n; ++i)
      result[begin + i] = static_cast<T>(mean ? sums[i] / scale : sums[i]);
  }
}

}  // namespace

void combine_all(void* result, std::span<const void* const> operands, size_t count, DType dtype,
                 ops::ReduceOp op) {
  const bool is_mean = op == ops::ReduceOp::mean;
  if (is_mean || op == ops::ReduceOp::sum) {
    if (dtype == DType::float16)
      return add_halves(static_cast<float16*>(result), operands, count, is_mean);
    if (dtype == DType::bfloat16)
      return add_halves(static_cast<bfloat16*>(result), operands, count, is_mean);
  }
  const Reduction reduce = reduction(dtype, op);
  reduce(result, operands[0], operands[1], count);
  for (const void* const operand : operands.subspan(2)) reduce(result, result, operand, count);
  if (is_mean) finish_mean(result, count, dtype, static_cast<int64_t>(operands.size()));
}

Reduction reduction(DType dtype, ops::ReduceOp op) {
  if (dtype == DType::boolean)
    throw ValueError("Processes cannot combine booleans. Received: dtype={}", dtype_name(dtype));
  if (op == ops::ReduceOp::mean && !is_floating(dtype))
    throw ValueError("A mean needs a floating-point dtype. Received: dtype={}", dtype_name(dtype));
  return dispatch(dtype, [&]<class T>() -> Reduction {
    if constexpr (std::is_same_v<T, bool>) {
      return nullptr;
    } else {
      return reduction_of<T>(op);
    }
  });
}

void finish_mean(void* data, size_t count, DType dtype, int64_t processes) {
  dispatch(dtype, [&]<class T>() {
    if constexpr (!std::is_integral_v<T>) {
      using Compute = ComputeType<T>;
      auto* values = static_cast<T*>(data);
      for (size_t i = 0; i < count; ++i)
        values[i] =
            static_cast<T>(static_cast<Compute>(values[i]) / static_cast<Compute>(processes));
    }
  });
}

}  // namespace antler::cluster
