#pragma once

#include <string>

#include "antler/base/error.h"

/// Checks of the options of optimizers.
namespace antler::estimator::train {

/// Throws ValueError.
inline void check_positive(const std::string& name, double value) {
  if (!(value > 0)) throw ValueError("{} must be positive. Received: {}={}", name, name, value);
}
inline void check_not_negative(const std::string& name, double value) {
  if (!(value >= 0)) {
    throw ValueError("{} must be positive or zero. Received: {}={}", name, name, value);
  }
}

}  // namespace antler::estimator::train
