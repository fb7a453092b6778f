#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/ops/reduce.h"

namespace antler {

/// How the factors of one operand of a quantized einsum meet its output. They are found with
/// dimensions of size 1 at `reduced`; the layout that broadcasts to the output, in which files keep
/// those of the kernel, is Keras's.
struct ScaleLayout {
  ops::Axes reduced = {};             ///< dimensions that the output does not have
  std::vector<int64_t> order = {};    ///< first the dimensions are put into this order,
  std::vector<int64_t> added = {};    ///< then dimensions of size 1 come in here,
  std::vector<int64_t> removed = {};  ///< and those go

  Tensor apply(const Tensor& scale) const;
};

/// What a quantized "input,kernel->output" needs to know.
struct EinsumQuantization {
  ScaleLayout input;
  ScaleLayout kernel;
  std::string gradient;  ///< equation from (gradient of the output, kernel) to that of the input
  bool keeps_order;      ///< the kernel's dimensions stand in the output in the kernel's order
};

/// For an equation that einsum_shapes() accepts and an input of `rank`.
EinsumQuantization einsum_quantization(const std::string& equation, int rank);

}  // namespace antler
