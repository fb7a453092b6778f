#include <algorithm>

#include "antler/base/error.h"
#include "antler/ops/control_flow.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "ops/support.h"

/// gcd(), lcm() and view().
namespace antler::ops {
namespace {

Operands integer_operands(const char* op, const Tensor& x, const Tensor& y) {
  const Operands both = promote(op, x, y);
  if (!is_integer(both.x.dtype())) {
    throw TypeError("ops::{}: expected integers. Received: {} and {}.", op, dtype_name(x.dtype()),
                    dtype_name(y.dtype()));
  }
  return {absolute(both.x), absolute(both.y)};
}

}  // namespace

Tensor gcd(const Tensor& x, const Tensor& y) {
  const auto [a, b] = integer_operands("gcd", x, y);
  // Euclid's algorithm for all elements, until the last one is done.
  return while_loop([](const Tensors& v) { return any(not_equal(v[1], 0)); },
                    [](const Tensors& v) -> Tensors {
                      const Tensor done = equal(v[1], 0);
                      const Tensor rest = mod(v[0], where(done, 1, v[1]));
                      return {where(done, v[0], v[1]), where(done, 0, rest)};
                    },
                    {a, b})[0];
}

Tensor lcm(const Tensor& x, const Tensor& y) {
  const auto [a, b] = integer_operands("lcm", x, y);
  const Tensor divisor = gcd(a, b);
  return multiply(floor_divide(a, where(equal(divisor, 0), 1, divisor)), b);
}

Tensor view(const Tensor& x, DTypeArg target) {
  require_defined("view", x);
  const DType dtype = target;
  const auto from = static_cast<int64_t>(dtype_size(x.dtype()));
  const auto to = static_cast<int64_t>(dtype_size(dtype));
  if (from == to) return bitcast(x, dtype);
  if (x.rank() == 0 || x.dim(-1) * from % to != 0) {
    throw ValueError("ops::view: the last dimension of {} is not a whole number of elements of {}.",
                     spec_str(x.spec()), dtype_name(dtype));
  }
  // Little-endian; the narrower dtype is the unit.
  const auto unsigned_of = [](int64_t size) {
    return size == 1   ? DType::uint8
           : size == 2 ? DType::uint16
           : size == 4 ? DType::uint32
                       : DType::uint64;
  };
  const DType wide = unsigned_of(std::max(from, to));
  const DType narrow = unsigned_of(std::min(from, to));
  const int64_t ratio = std::max(from, to) / std::min(from, to);
  const Tensor places = multiply(iota({ratio}, 0, DType::uint64), 8 * std::min(from, to));
  const Tensor bits = bitcast(x, unsigned_of(from));
  Shape shape = x.shape();
  if (to < from) {
    const Tensor parts = right_shift(expand_dims(bits, -1), cast(places, wide));
    shape[shape.rank() - 1] *= ratio;
    return bitcast(reshape(cast(parts, narrow), shape), dtype);
  }
  shape[shape.rank() - 1] /= ratio;
  Shape grouped = shape;
  grouped.push_back(ratio);
  const Tensor parts = cast(reshape(bits, grouped), wide);
  const Tensor joined = sum(cast(left_shift(parts, cast(places, wide)), DType::uint64), {-1});
  return bitcast(cast(joined, wide), dtype);
}

}  // namespace antler::ops
