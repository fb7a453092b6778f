#pragma once

#include <cstdint>

#include "antler/core/tensor.h"

/// A tensor as lanes along one axis: element k of lane (o, i) is at (o * length + k) * inner + i.
namespace antler::ops {

struct Lanes {
  Lanes(const Shape& shape, int64_t axis) : length(shape[static_cast<int>(axis)]) {
    for (int d = 0; d < shape.rank(); ++d) {
      if (d < axis) outer *= shape[d];
      if (d > axis) inner *= shape[d];
    }
  }
  int64_t outer = 1;
  int64_t length;
  int64_t inner = 1;

  /// Calls f(offset of the first element) for every lane. Its elements have stride `inner`.
  template <class F>
  void for_each(F f) const {
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i) f(o * length * inner + i);
    }
  }
};

/// Zeros [..., length] with updates[..., k] added at indices[..., k] of the last axis.
Tensor scatter_along_last(const Tensor& updates, const Tensor& indices, int64_t length);

}  // namespace antler::ops
