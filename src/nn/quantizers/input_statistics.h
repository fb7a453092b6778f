#pragma once

#include <cstdint>

#include "antler/core/tensor.h"

namespace antler {

/// What GPTQ and AWQ want to know of the inputs of a layer.
class InputStatistics {
 public:
  /// `moments`: second_moments() are wanted, else magnitudes().
  InputStatistics(int64_t features, bool moments) : features_(features), moments_(moments) {}

  /// Adds rows of inputs, of any shape whose last dimensions are the features. Values that are
  /// being traced are passed over.
  void see(const Tensor& inputs);
  /// float32 [features, features]: the mean of 2 x x^T. Undefined where nothing was seen.
  const Tensor& second_moments() const { return second_moments_; }
  /// float32 [features]: the largest absolute values. Undefined where nothing was seen.
  const Tensor& magnitudes() const { return magnitudes_; }

 private:
  int64_t features_;
  bool moments_;
  int64_t rows_ = 0;
  Tensor second_moments_;
  Tensor magnitudes_;
};

}  // namespace antler
