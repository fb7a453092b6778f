#pragma once

#include <cstddef>

#include "runtime/cpu/gemm/dot_layout.h"
#include "runtime/cpu/move/strided_copy.h"

namespace antler::runtime {

/// What stands between the buffer of a dot_general's operand and the product: nothing, or a copy
/// that puts its dimensions in order.
class OperandCopy {
 public:
  OperandCopy() = default;
  /// Adds to `scratch` the bytes that the copy takes.
  OperandCopy(const DotOperand& operand, size_t element, size_t& scratch)
      : copied_(operand.copied), at_(scratch) {
    if (!copied_) return;
    const Shape shape(operand.copy_shape);
    copy_ = StridedCopy(element, operand.copy_shape, operand.copy_strides, shape.strides());
    scratch += (static_cast<size_t>(copy_.bytes()) + 63) / 64 * 64;
  }
  /// Where the product finds the operand.
  const void* prepare(const void* buffer, char* scratch, int threads) const {
    if (!copied_) return buffer;
    copy_.run(buffer, scratch + at_, threads);
    return scratch + at_;
  }

 private:
  bool copied_ = false;
  StridedCopy copy_;
  size_t at_ = 0;
};

}  // namespace antler::runtime
