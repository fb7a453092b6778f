#include <algorithm>
#include <cmath>
#include <string>

#include <nlohmann/json.hpp>

#include "antler/base/error.h"
#include "antler/nn/quantizers.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/numpy/reductions.h"
#include "base/ceil_div.h"
#include "nn/config_fields.h"

namespace antler {

Quantized AbsMaxQuantizer::operator()(const Tensor& x, const std::optional<AxisList>& given) const {
  return quantizers::abs_max_quantize(x, given ? *given : axis.value_or(AxisList(-1)), value_range,
                                      output_dtype, epsilon);
}

void AbsMaxQuantizer::check() const {
  if (output_dtype != DType::int8 || (value_range.first >= -128 && value_range.second <= 127))
    return;
  throw ValueError(
      "Quantizer with output_dtype='int8' requires value_range to be within the interval [-128, "
      "127]. Received: value_range=({}, {})",
      value_range.first, value_range.second);
}

Json AbsMaxQuantizer::serialize() const {
  Json config = {{"value_range", {value_range.first, value_range.second}},
                 {"epsilon", epsilon},
                 {"output_dtype", dtype_name(output_dtype)}};
  if (axis) config["axis"] = axis->values();
  return keras_object("keras.quantizers", "AbsMaxQuantizer", std::move(config));
}

AbsMaxQuantizer AbsMaxQuantizer::deserialize(const Json& json) {
  if (config::class_name_of(json, "quantizer") != "AbsMaxQuantizer") {
    throw ValueError("Could not interpret quantizer identifier: {}", json.dump());
  }
  const Json given = config::config_of(json);
  AbsMaxQuantizer quantizer;
  if (given.contains("value_range")) {
    const Json& range = given["value_range"];
    if (!range.is_array() || range.size() != 2 || !range[0].is_number() || !range[1].is_number()) {
      throw ValueError("AbsMaxQuantizer: `value_range` must be two numbers. Received: {}",
                       range.dump());
    }
    quantizer.value_range = {range[0].get<int64_t>(), range[1].get<int64_t>()};
  }
  if (given.contains("epsilon")) read_field(given["epsilon"], quantizer.epsilon);
  if (given.contains("output_dtype")) read_field(given["output_dtype"], quantizer.output_dtype);
  if (given.contains("axis") && !given["axis"].is_null()) {
    AxisList axis = 0;
    read_field(given["axis"], axis);
    quantizer.axis = axis;
  }
  quantizer.check();
  return quantizer;
}

namespace quantizers {

Quantized abs_max_quantize(const Tensor& x, const AxisList& axis, QuantizedRange value_range,
                           DType dtype, double epsilon) {
  const Tensor largest = ops::max(ops::absolute(x), axis.values(), {.keepdims = true});
  const Tensor high(static_cast<double>(value_range.second));
  const Tensor scale = ops::cast(high / (largest + Tensor(epsilon)), x.dtype());
  const Tensor values =
      ops::clip(ops::round(x * scale), Tensor(static_cast<double>(value_range.first)), high);
  return {ops::cast(values, dtype), scale};
}

Quantized abs_max_quantize(const Tensor& x, const AbsMaxQuantizeArguments& by_name) {
  if (by_name.value_range.size() != 2) {
    throw ValueError("abs_max_quantize: `value_range` must be two numbers. Received: {} of them",
                     by_name.value_range.size());
  }
  const double low = by_name.value_range[0];
  const double high = by_name.value_range[1];
  if (low != std::floor(low) || high != std::floor(high)) {
    throw ValueError("abs_max_quantize: `value_range` must be two integers. Received: [{}, {}]",
                     low, high);
  }
  return abs_max_quantize(x, by_name.axis, {static_cast<int64_t>(low), static_cast<int64_t>(high)},
                          by_name.dtype, by_name.epsilon);
}

GroupedQuantized abs_max_quantize_grouped_with_zero_point(const Tensor& x, int64_t block_size,
                                                          QuantizedRange value_range, DType dtype,
                                                          double epsilon, bool to_numpy) {
  if (x.rank() != 2) {
    throw ValueError("Grouped quantization takes a matrix. Received: shape={}", x.shape());
  }
  if (block_size < 1) {
    throw ValueError("`block_size` must be a positive integer. Received: block_size={}",
                     block_size);
  }
  const int64_t rows = x.shape()[0];
  const int64_t columns = x.shape()[1];
  const int64_t groups = ceil_div(rows, block_size);
  const auto grouped = [&](const Tensor& t) {
    const Tensor full = ops::pad(t, {0, 0}, {groups * block_size - rows, 0});
    return ops::reshape(full, {groups, block_size, columns});
  };
  const Tensor low(static_cast<double>(value_range.first));
  const Tensor high(static_cast<double>(value_range.second));
  const Tensor blocks = grouped(x);
  // With a single group, the zeros that fill it up count only if `to_numpy`.
  const bool single = !to_numpy && groups == 1;
  const Tensor counted = single ? ops::reshape(x, {1, rows, columns}) : blocks;
  Tensor least = ops::min(counted, {1}, {.keepdims = true});
  Tensor largest = ops::max(counted, {1}, {.keepdims = true});
  Tensor scale;
  if (to_numpy) {
    scale = (largest - least + Tensor(epsilon)) /
            Tensor(static_cast<double>(value_range.second - value_range.first));
  } else {
    const Tensor same = ops::equal(least, largest);
    least = ops::where(same, least - Tensor(1.0), least);
    largest = ops::where(same, largest + Tensor(1.0), largest);
    const double bits =
        std::floor(std::log2(static_cast<double>(value_range.second - value_range.first + 1)));
    scale = (largest - least + Tensor(epsilon)) / Tensor(std::pow(2.0, bits) - 1);
    scale = ops::where(ops::less_equal(scale, Tensor(0.0)), Tensor(1e-8), scale);
  }
  scale = ops::cast(scale, x.dtype());
  const Tensor zero = ops::clip(ops::round(-least / scale) + low, low, high);
  const Tensor values = ops::clip(ops::round(blocks / scale) + zero, low, high);
  const Tensor flat = ops::reshape(values, {groups * block_size, columns});
  return {ops::cast(ops::slice_axis(flat, 0, 0, rows), dtype),
          ops::reshape(scale, {groups, columns}),
          ops::cast(ops::reshape(zero, {groups, columns}), DType::int8)};
}

}  // namespace quantizers
}  // namespace antler
