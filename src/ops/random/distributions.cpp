#include <cmath>
#include <limits>
#include <numbers>

#include "antler/base/error.h"
#include "antler/core/dispatch.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/sorting.h"
#include "antler/ops/random.h"
#include "ops/support.h"

/// Distributions as functions of random bits.
namespace antler::ops {
namespace {

void require_floating(const char* op, DType dtype) {
  if (is_floating(dtype)) return;
  throw ValueError("ops::{}: expected a floating dtype. Received: dtype={}.", op,
                   dtype_name(dtype));
}

/// Two independent arrays of random bits.
struct BitPair {
  Tensor first;
  Tensor second;
};
BitPair bit_pair(const Tensor& seed, const Shape& shape) {
  std::vector<int64_t> dims = {2};
  dims.insert(dims.end(), shape.begin(), shape.end());
  const Tensor bits = random_bits(seed, Shape(std::move(dims)));
  return {reshape(slice_axis(bits, 0, 0, 1), shape), reshape(slice_axis(bits, 0, 1, 2), shape)};
}

/// Multiples of 2^-24 in [0, 1): the full 24-bit precision of a float32.
Tensor unit_float(const Tensor& bits) {
  // CPUs convert signed integers.
  const Tensor integer = bitcast(right_shift(bits, 8), DType::int32);
  return multiply(cast(integer, DType::float32), 0x1p-24);
}

/// Multiples of 2^-53 in [0, 1): the full 53-bit precision of a float64.
Tensor unit_double(const BitPair& bits) {
  const Tensor high = cast(right_shift(bits.first, 5), DType::float64);
  const Tensor low = cast(right_shift(bits.second, 6), DType::float64);
  return multiply(add(multiply(high, 0x1p26), low), 0x1p-53);
}

Tensor unit_uniform(const Tensor& seed, const Shape& shape, DType dtype) {
  return dtype == DType::float64 ? unit_double(bit_pair(seed, shape))
                                 : unit_float(random_bits(seed, shape));
}

DType compute_dtype(DType dtype) { return dtype == DType::float64 ? dtype : DType::float32; }

template <class T>
T predecessor(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::nextafter(value, -std::numeric_limits<T>::infinity());
  } else {
    const float number = value;
    if (number == 0) {
      value.bits = 0x8001;  // the smallest negative number
    } else {
      value.bits = static_cast<uint16_t>(number > 0 ? value.bits - 1 : value.bits + 1);
    }
    return value;
  }
}

/// The largest number of `dtype` below `limit`.
double largest_below(double limit, DType dtype) {
  return dispatch(dtype, [&]<class T>() -> double {
    if constexpr (std::is_integral_v<T>) {
      return limit;
    } else {
      const auto value = static_cast<T>(static_cast<ComputeType<T>>(limit));
      return static_cast<double>(static_cast<double>(value) < limit ? value : predecessor(value));
    }
  });
}

Tensor scaled(const Tensor& z, double mean, double stddev, DType dtype) {
  return cast(add(multiply(z, stddev), mean), dtype);
}

}  // namespace

Tensor random_uniform(const Tensor& seed, const Shape& shape, double low, double high,
                      DType dtype) {
  require_floating("random_uniform", dtype);
  Tensor unit = unit_uniform(seed, shape, dtype);
  if (low == 0 && high == 1 && dtype == compute_dtype(dtype)) return unit;
  const Tensor result = cast(add(multiply(unit, high - low), low), dtype);
  // Rounding may yield `high`, which is not in the interval.
  return high > low ? minimum(result, largest_below(high, dtype)) : result;
}

Tensor random_normal(const Tensor& seed, const Shape& shape, double mean, double stddev,
                     DType dtype) {
  require_floating("random_normal", dtype);
  Tensor radius_unit;  // in (0, 1]
  Tensor angle_unit;   // in [0, 1)
  if (dtype == DType::float64) {
    // Two words per double, so four per element.
    std::vector<int64_t> dims = {2};
    dims.insert(dims.end(), shape.begin(), shape.end());
    const Tensor units = unit_double(bit_pair(seed, Shape(std::move(dims))));
    radius_unit = subtract(1, reshape(slice_axis(units, 0, 0, 1), shape));
    angle_unit = reshape(slice_axis(units, 0, 1, 2), shape);
  } else {
    const BitPair bits = bit_pair(seed, shape);
    // Steps of 2^-32, starting at 2^-33, for accurate tails.
    radius_unit = add(multiply(cast(bits.first, DType::float32), 0x1p-32), 0x1p-33);
    angle_unit = unit_float(bits.second);
  }
  const Tensor radius = sqrt(multiply(log(radius_unit), -2));
  return scaled(multiply(radius, cos(multiply(angle_unit, 2 * std::numbers::pi))), mean, stddev,
                dtype);
}

Tensor random_truncated_normal(const Tensor& seed, const Shape& shape, double mean, double stddev,
                               DType dtype) {
  require_floating("random_truncated_normal", dtype);
  const double limit = std::erf(std::numbers::sqrt2);  // P(|z| < 2) = erf(sqrt(2))
  const Tensor unit = unit_uniform(seed, shape, dtype);
  const Tensor z = multiply(erfinv(add(multiply(unit, 2 * limit), -limit)), std::numbers::sqrt2);
  return scaled(clip(z, -2, 2), mean, stddev, dtype);
}

Tensor random_integers(const Tensor& seed, const Shape& shape, int64_t low, int64_t high,
                       DType dtype) {
  if (!is_integer(dtype)) {
    throw ValueError("ops::random_integers: expected an integer dtype. Received: dtype={}.",
                     dtype_name(dtype));
  }
  if (high <= low) {
    throw ValueError("ops::random_integers: expected low < high. Received: low={}, high={}.", low,
                     high);
  }
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  const Tensor range_value(static_cast<int64_t>(range));
  Tensor offset;
  if (range <= uint64_t{1} << 32) {
    // The upper word of bits * range: uniform up to range / 2^32.
    const Tensor bits = cast(random_bits(seed, shape), DType::uint64);
    offset = right_shift(multiply(bits, range_value), 32);
  } else {
    const BitPair bits = bit_pair(seed, shape);
    const Tensor wide = bitwise_or(left_shift(cast(bits.first, DType::uint64), 32),
                                   cast(bits.second, DType::uint64));
    offset = mod(wide, range_value);
  }
  return cast(add(bitcast(offset, DType::int64), low), dtype);
}

Tensor random_bernoulli(const Tensor& seed, const Shape& shape, double p) {
  if (!(p >= 0 && p <= 1)) {
    throw ValueError("ops::random_bernoulli: expected a probability in [0, 1]. Received: p={}.", p);
  }
  const double threshold = std::round(p * 0x1p32);
  if (threshold == 0x1p32) return filled(1, DType::boolean, shape);
  return less(random_bits(seed, shape), static_cast<int64_t>(threshold));
}

Tensor random_shuffle(const Tensor& seed, const Tensor& x, int64_t axis) {
  require_defined("random_shuffle", x);
  const int a = normalize_axis_of("random_shuffle", axis, x.rank());
  return take(x, argsort(random_bits(seed, {x.dim(a)})), a);
}

}  // namespace antler::ops
