#include <cmath>
#include <cstdint>
#include <string>

#include "antler/base/error.h"
#include "antler/nn/quantizers.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"

namespace antler::quantizers {
namespace {

struct Float8Format {
  int mantissa_bits;
  int least_exponent;  ///< of the smallest normal number
  double largest;
};

Float8Format format_of(const std::string& name) {
  if (name == "float8_e4m3fn") return {3, -6, 448.0};
  if (name == "float8_e5m2") return {2, -14, 57344.0};
  throw ValueError("Expected 'float8_e4m3fn' or 'float8_e5m2'. Received: {}", name);
}

/// Rounds float32 numbers to the format. Their magnitudes must not exceed the format's largest.
Tensor rounded(const Tensor& x, const Float8Format& format) {
  const Tensor exponent_bits =
      ops::bitwise_and(ops::bitcast(x, DType::int32), Tensor(int64_t{0x7f800000}));
  const Tensor power = ops::maximum(ops::bitcast(exponent_bits, DType::float32),
                                    Tensor(std::ldexp(1.0, format.least_exponent)));
  const Tensor unit = power * Tensor(std::ldexp(1.0, -format.mantissa_bits));
  return ops::round(x / unit) * unit;
}

}  // namespace

double float8_max(const std::string& format) { return format_of(format).largest; }

Tensor compute_float8_scale(const Tensor& amax, const Tensor& scale, const Tensor& dtype_max,
                            int64_t margin) {
  const Tensor present = ops::reciprocal(scale);
  const Tensor factor = dtype_max / amax / Tensor(std::ldexp(1.0, static_cast<int>(margin)));
  const Tensor usable = ops::logical_and(ops::greater(amax, Tensor(0.0)), ops::isfinite(amax));
  return ops::reciprocal(ops::where(usable, factor, present));
}

Tensor compute_float8_amax_history(const Tensor& x, const Tensor& amax_history) {
  const Tensor largest = ops::cast(ops::max(ops::absolute(x)), amax_history.dtype());
  const Tensor place = ops::iota(amax_history.shape(), 0);
  return ops::where(ops::equal(place, Tensor(0)), largest, ops::roll(amax_history, -1, 0));
}

Tensor quantize_and_dequantize(const Tensor& x, const Tensor& scale,
                               const std::string& quantized_dtype, DType compute_dtype) {
  const Float8Format format = format_of(quantized_dtype);
  const Tensor factor = ops::cast(scale, compute_dtype);
  const Tensor scaled = ops::clip(x / factor, Tensor(-format.largest), Tensor(format.largest));
  const Tensor values = rounded(ops::cast(scaled, DType::float32), format);
  return ops::cast(values, compute_dtype) * factor;
}

}  // namespace antler::quantizers
