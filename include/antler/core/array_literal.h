#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "antler/core/dtype.h"
#include "antler/core/shape.h"

namespace antler {

class Tensor;

/// Numbers in nested braces, like Python's nested lists: `{1, 2}`, `{{1, 2.5}, {3, 4}}`. The dtype
/// is default_float() if any number is floating-point, else int64 if any is (exact up to 2^53),
/// else int32, else bool.
class ArrayLiteral {
 public:
  template <std::floating_point T>
  ArrayLiteral(T number)  // NOLINT(google-explicit-constructor)
      : dtype_(default_float()), values_{static_cast<double>(number)} {}
  template <std::integral T>
  ArrayLiteral(T number)  // NOLINT(google-explicit-constructor)
      : dtype_(std::same_as<T, bool>         ? DType::boolean
               : sizeof(T) > sizeof(int32_t) ? DType::int64
                                             : DType::int32),
        values_{static_cast<double>(number)} {}
  /// Throws ValueError if the shapes of the parts differ.
  ArrayLiteral(std::initializer_list<ArrayLiteral> parts);

  Tensor tensor() const;
  /// With the numbers converted to `dtype`.
  Tensor tensor(DType dtype) const;

 private:
  DType dtype_;  // NOLINT(modernize-use-default-member-init)
  Shape shape_;
  std::vector<double> values_;
};

}  // namespace antler
