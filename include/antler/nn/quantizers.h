#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/base/json.h"
#include "antler/core/keyword.h"
#include "antler/core/named_only.h"
#include "antler/core/tensor.h"
#include "antler/nn/axis_list.h"

namespace antler {

/// A quantized array and its scale factors.
struct Quantized {
  Tensor values;
  Tensor scale;
};

/// Lowest and highest quantized value.
using QuantizedRange = std::pair<int64_t, int64_t>;

/// Keras's AbsMaxQuantizer: the largest magnitude over `axis` becomes the upper end of the range.
struct AbsMaxQuantizer {
  std::optional<AxisList> axis = {};  ///< used if a call gives none; not given: -1
  QuantizedRange value_range = {-127, 127};
  double epsilon = 1e-7;
  DType output_dtype = DType::int8;

  /// Values and scale (with dimensions of size 1 at the axes) of any array of floating numbers.
  Quantized operator()(const Tensor& x, const std::optional<AxisList>& axis = {}) const;
  /// Throws ValueError if the range does not fit into int8.
  void check() const;
  /// Keras's {"module", "class_name", "config", "registered_name"}.
  Json serialize() const;
  /// From the result of serialize(). Throws ValueError for other quantizers.
  static AbsMaxQuantizer deserialize(const Json& json);
};

namespace quantizers {

/// x times scale, rounded and clipped; scale = high / (max(abs(x)) + epsilon) over `axis`, with
/// dimensions of size 1 there.
Quantized abs_max_quantize(const Tensor& x, const AxisList& axis,
                           QuantizedRange value_range = {-127, 127}, DType dtype = DType::int8,
                           double epsilon = 1e-7);
/// The arguments of abs_max_quantize() by name.
struct AbsMaxQuantizeArguments {
  NamedFieldsOnly named_only = NamedFieldsOnly();
  AxisList axis = -1;                             ///< of the largest magnitude
  std::vector<double> value_range = {-127, 127};  ///< lowest and highest quantized value
  DType dtype = DType::int8;
  double epsilon = 1e-7;  ///< added to the largest magnitude
};
Quantized abs_max_quantize(const Tensor& x, const AbsMaxQuantizeArguments& by_name);
ANTLER_KEYWORD_FUNCTION(abs_max_quantize, AbsMaxQuantizeArguments, const Tensor&)

/// A matrix that is quantized in groups of rows: x is approximately (values - zero_point) * scale.
struct GroupedQuantized {
  Tensor values;
  Tensor scale;
  Tensor zero_point;  ///< int8
};
/// Quantizes a matrix [rows, columns] in groups of `block_size` rows. Each group has a scale and a
/// zero point per column: both are [ceil(rows / block_size), columns]. `to_numpy` selects the
/// variant that layers use: the zeros that fill up a group always count towards its range, and the
/// range of equal values is not widened. Throws ValueError for other ranks and block sizes below 1.
GroupedQuantized abs_max_quantize_grouped_with_zero_point(const Tensor& x, int64_t block_size,
                                                          QuantizedRange value_range = {-8, 7},
                                                          DType dtype = DType::int8,
                                                          double epsilon = 1e-7,
                                                          bool to_numpy = false);

/// Packs two 4-bit values into each byte along `axis`, the first one in the lower bits. An odd
/// length is padded with a zero. Throws TypeError unless x has this dtype, and ValueError for
/// dtypes other than int8 and uint8.
Tensor pack_int4(const Tensor& x, int64_t axis = 0, DType dtype = DType::int8);
/// The reverse; `orig_len` is the length of the axis before. int8 gives -8..7, uint8 0..15.
Tensor unpack_int4(const Tensor& packed, int64_t orig_len, int64_t axis = 0,
                   DType dtype = DType::int8);

/// The largest number of a float8 format. Throws ValueError unless `format` is "float8_e4m3fn" or
/// "float8_e5m2".
double float8_max(const std::string& format);
/// The scale for the next step: amax / dtype_max * 2^margin, or `scale` if amax is 0 or not finite.
Tensor compute_float8_scale(const Tensor& amax, const Tensor& scale, const Tensor& dtype_max,
                            int64_t margin = 0);
/// The history [n], shifted by one, with the largest magnitude of x as its first element.
Tensor compute_float8_amax_history(const Tensor& x, const Tensor& amax_history);
/// x / scale rounded to a float8 format, then multiplied by scale, in `compute_dtype`.
Tensor quantize_and_dequantize(const Tensor& x, const Tensor& scale,
                               const std::string& quantized_dtype, DType compute_dtype);

/// x, as if it had been stored with `num_bits` bits in the range from `min_vals` to `max_vals`,
/// which are numbers or, with an axis, one number per index. Inside the range, gradients pass to x;
/// outside, they pass to the ends of the range.
Tensor fake_quant_with_min_max_vars(const Tensor& x, const Tensor& min_vals, const Tensor& max_vals,
                                    int64_t num_bits = 8, bool narrow_range = false,
                                    std::optional<int64_t> axis = {});

}  // namespace quantizers
}  // namespace antler
