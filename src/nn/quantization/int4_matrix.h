#pragma once

#include <cstdint>
#include <optional>

#include "antler/core/tensor.h"
#include "antler/nn/quantizers.h"

namespace antler {

/// How a matrix lies in numbers of 4 bits.
struct Int4Form {
  Shape shape;                             ///< of the matrix
  int contracted = 0;                      ///< the axis whose elements share scales
  int packed = 1;                          ///< the axis along which two numbers share a byte
  std::optional<int64_t> block_size = {};  ///< not given: one scale, and no zero point

  Shape packed_shape() const;
  Shape scale_shape() const;
};

/// A matrix in that form; zero_point is undefined where there are no blocks.
struct Int4Matrix {
  Tensor packed;
  Tensor scale;
  Tensor zero_point;
};

/// `quantizer` stands for the usual one where there are no blocks. Throws ValueError when its axis
/// is not that of the form.
Int4Matrix quantize_int4(const Tensor& matrix, const Int4Form& form,
                         const std::optional<AbsMaxQuantizer>& quantizer = {});
/// The numbers of any rows of a packed matrix, int8.
Tensor unpack(const Tensor& packed, const Int4Form& form);
/// The group of each element of the contracted axis, float32 as files keep it.
Tensor group_index(const Int4Form& form);
/// Numbers to what they stand for, in `dtype`; all may be rows of a matrix whose contracted axis is
/// the last one. `groups` is undefined where there are no blocks (then int8 numbers do as well).
Tensor dequantize_int4(const Tensor& values, const Tensor& scale, const Tensor& zero_point,
                       const Tensor& groups, int contracted, DType dtype);

}  // namespace antler
