#include <string>
#include <vector>

#include "antler/base/error.h"
#include "antler/core/shape.h"
#include "antler/nn/quantizers.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"

namespace antler::quantizers {
namespace {

void check_dtype(DType dtype) {
  if (dtype == DType::int8 || dtype == DType::uint8) return;
  throw ValueError("Expected dtype to be 'int8' or 'uint8', but got '{}'.", dtype_name(dtype));
}

Tensor constant(int value, DType dtype) { return ops::cast(Tensor(value), dtype); }

}  // namespace

Tensor pack_int4(const Tensor& x, int64_t axis, DType dtype) {
  check_dtype(dtype);
  if (x.dtype() != dtype) {
    throw TypeError("Expected {} tensor for packing, got {}.", dtype_name(dtype),
                    dtype_name(x.dtype()));
  }
  const int at = normalize_axis(axis, x.rank(), "axis");
  const int64_t length = x.shape()[at];
  std::vector<int64_t> low(static_cast<size_t>(x.rank()), 0);
  std::vector<int64_t> high = low;
  high[static_cast<size_t>(at)] = length % 2;
  const Tensor even = ops::pad(x, low, high);
  const Tensor mask = constant(15, dtype);
  const Tensor first = ops::bitwise_and(ops::slice_axis(even, at, 0, length, 2), mask);
  const Tensor second = ops::slice_axis(even, at, 1, length + length % 2, 2);
  return ops::bitwise_or(first, ops::left_shift(second, constant(4, dtype)));
}

Tensor unpack_int4(const Tensor& packed, int64_t orig_len, int64_t axis, DType dtype) {
  check_dtype(dtype);
  if (packed.dtype() != dtype) {
    throw TypeError("Expected {} tensor for unpacking, got {}.", dtype_name(dtype),
                    dtype_name(packed.dtype()));
  }
  const int at = normalize_axis(axis, packed.rank(), "axis");
  // Right shifts of signed integers keep the sign.
  const Tensor four = constant(4, dtype);
  const Tensor low = ops::right_shift(ops::left_shift(packed, four), four);
  const Tensor high = ops::right_shift(packed, four);
  Shape full = packed.shape();
  full[at] *= 2;
  const Tensor both = ops::reshape(ops::stack({low, high}, at + 1), full);
  return ops::slice_axis(both, at, 0, orig_len);
}

}  // namespace antler::quantizers
