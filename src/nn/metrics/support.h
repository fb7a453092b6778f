#pragma once

#include <string>

#include "antler/nn/registry.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"

/// Small helpers of several metrics.
namespace antler::metrics {

inline Tensor cast_to(const Tensor& x, DType dtype) {
  return x.dtype() == dtype ? x : ops::cast(x, dtype);
}

inline Tensor flat(const Tensor& x) { return ops::reshape(x, Shape{-1}); }

/// The given name, or a name generated as in Keras.
inline std::string unique_name_or(const std::string& name, const char* class_name) {
  return name.empty() ? unique_name(to_snake_case(class_name)) : name;
}

}  // namespace antler::metrics
