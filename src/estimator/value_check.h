#pragma once

#include <string>

#include "antler/core/tensor.h"

/// Conditions on the values of tensors, which are known only when a step runs.
namespace antler::estimator {

/// All elements of a tensor must be in [low, high]; NaN is not.
struct ValueCheck {
  std::string fetch;  ///< name of a tensor whose elements include the smallest and the largest
  double low = 0;
  double high = 0;
  std::string message;  ///< with "{}" in place of the wrong value
};

/// The names of the tensors of checks begin with it.
inline constexpr const char* kCheck = "check/";

/// Adds a check to the graph that is being built, if there is one. A session then throws
/// InvalidArgumentError after a step with another value. As in TensorFlow, accelerators do not
/// check.
void require_values(const Tensor& values, double low, double high, const std::string& message);
/// require_values() for class numbers, 0 to `classes` - 1.
void require_classes(const Tensor& labels, int64_t classes, const std::string& message);

/// Throws InvalidArgumentError if an element of `extremes`, float64, is not in the range.
void run_check(const ValueCheck& check, const Tensor& extremes);

}  // namespace antler::estimator
