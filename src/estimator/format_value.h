#pragma once

#include <string>

#include "antler/core/tensor.h"

namespace antler::estimator {

/// A value as NumPy's str() writes it, in log lines: "0.27300555", "3", "[1. 2.]".
std::string value_string(const Tensor& value);

}  // namespace antler::estimator
