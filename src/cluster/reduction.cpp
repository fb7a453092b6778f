#include "cluster/reduction.h"

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

}  // namespace

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
