#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "antler/core/none.h"

namespace antler::ops {

/// Argument type for axes: a number or a list, `{0, 1}`. Negative axes count from the end.
class Axes : public std::vector<int64_t> {
 public:
  Axes() = default;
  template <std::integral T>
  requires(!std::same_as<T, bool>) Axes(T axis)  // NOLINT(google-explicit-constructor)
      : vector{static_cast<int64_t>(axis)} {}
  Axes(NoneType) {}  // NOLINT(google-explicit-constructor)
  Axes(std::initializer_list<int64_t> axes) : vector(axes) {}
  Axes(std::vector<int64_t> axes)
      : vector(std::move(axes)) {}  // NOLINT(google-explicit-constructor)
};

/// Strides or sizes: one number for all dimensions, or one per dimension.
using NumberOrList = Axes;

/// Options of reductions.
struct ReduceOptions {
  bool keepdims = false;  ///< keep the reduced axes, with size 1
};

}  // namespace antler::ops
