#pragma once

#include <vector>

#include "antler/core/tensor.h"
#include "data/random_words.h"

namespace antler::utils {

/// A random number in [low, high).
inline double uniform(data::RandomWords& words, double low, double high) {
  return low + (high - low) * static_cast<double>(words.next()) * 0x1p-32;
}

/// The elements of a tensor as floats.
inline std::vector<float> floats_of(const Tensor& x) {
  if (x.dtype() == DType::float32) return x.to_vector<float>();
  if (x.dtype() == DType::uint8) {
    const auto* bytes = x.data<uint8_t>();
    return {bytes, bytes + x.size()};
  }
  const std::vector<double> values = x.to_doubles();
  return {values.begin(), values.end()};
}

}  // namespace antler::utils
