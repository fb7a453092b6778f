#pragma once

#include <cstddef>

#include "runtime/cpu/gemm/dot_layout.h"
#include "runtime/cpu/move/strided_copy.h"
#include "runtime/cpu/scratch_layout.h"

namespace antler::runtime {

/// Copies an operand of a dot_general to a scratch buffer if its layout needs that.
class OperandCopy {
 public:
  OperandCopy() = default;
  OperandCopy(const DotOperand& operand, size_t element_size, ScratchLayout& scratch)
      : copied_(operand.copied) {
    if (!copied_) return;
    const Shape shape(operand.copy_shape);
    copy_ = StridedCopy(element_size, operand.copy_shape, operand.copy_strides, shape.strides());
    offset_ = scratch.add(static_cast<size_t>(copy_.bytes()));
  }
  /// Copies the operand if needed. Returns the address of the array that the layout describes.
  const void* prepare(const void* buffer, char* scratch, int threads) const {
    if (!copied_) return buffer;
    copy_.run(buffer, scratch + offset_, threads);
    return scratch + offset_;
  }

 private:
  bool copied_ = false;
  StridedCopy copy_;
  size_t offset_ = 0;
};

}  // namespace antler::runtime
