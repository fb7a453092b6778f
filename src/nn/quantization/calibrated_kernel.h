#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "antler/core/variable.h"
#include "antler/nn/layer.h"
#include "nn/quantization/quantization_mode.h"
#include "nn/quantizers/calibrated_matrix.h"

namespace antler {

/// The weights of a kernel that GPTQ or AWQ quantized: the kernel as a matrix [inputs, outputs],
/// transposed, in whole numbers.
struct CalibratedKernel {
  int64_t inputs = 0;   ///< set when the layer is built; 0: the kernel is no such matrix
  int64_t outputs = 0;  ///< the same
  const char* zero_name = "kernel_zero";  ///< of the weight

  Variable values;       ///< uint8 [outputs, inputs], or [ceil(outputs / 2), inputs] of two each
  Variable scale;        ///< [outputs, groups]
  Variable zero_point;   ///< uint8 [outputs, groups]
  Variable input_scale;  ///< [inputs]; of AWQ
  Variable group_index;  ///< float32 [inputs]

  bool defined() const { return values.defined(); }
  /// Makes the weights of a mode. Throws ValueError where the kernel is no matrix.
  void add(const std::function<Variable(const WeightOptions&)>& add_weight,
           const QuantizationMode& mode);
  void store(const CalibratedMatrix& matrix);
  /// What they stand for, [inputs, outputs].
  Tensor value(DType dtype) const;
  /// In the order of Keras's files.
  Variables variables() const;

 private:
  bool packs_ = false;  ///< two numbers in a byte
};

}  // namespace antler
