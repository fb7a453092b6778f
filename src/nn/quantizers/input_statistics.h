#pragma once

#include <cstdint>

#include "antler/core/tensor.h"

namespace antler {

/// Statistics of the inputs of a layer, for GPTQ and AWQ.
class InputStatistics {
 public:
  /// `moments`: collect second_moments(); otherwise magnitudes().
  InputStatistics(int64_t features, bool moments) : features_(features), moments_(moments) {}

  /// Adds inputs of any shape whose last dimensions are the features. Symbolic tensors are ignored.
  void see(const Tensor& inputs);
  /// float32 [features, features]: the mean of 2 x x^T. Undefined if there were no inputs.
  const Tensor& second_moments() const { return second_moments_; }
  /// float32 [features]: the largest absolute values. Undefined if there were no inputs.
  const Tensor& magnitudes() const { return magnitudes_; }

 private:
  int64_t features_;
  bool moments_;
  int64_t rows_ = 0;
  Tensor second_moments_;
  Tensor magnitudes_;
};

}  // namespace antler
