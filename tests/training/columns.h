#pragma once

#include <vector>

#include "antler/antler.h"

namespace antler::test {

/// A float32 tensor [values, 1].
inline Tensor column(const std::vector<float>& values) {
  return Tensor::of(values, {static_cast<int64_t>(values.size()), 1});
}

/// y = w x without bias; not compiled.
inline Sequential line(float w) {
  Sequential model({Input({1}), Dense(1, {.use_bias = false})});
  model.set_weights({column({w})});
  return model;
}

}  // namespace antler::test
