#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <utility>

#include "antler/core/shape.h"

namespace antler {

/// Field type of an optional shape: a std::optional<Shape> that can be set with one pair of braces:
/// `{.input_shape = {224, 224, 3}}`.
class OptionalShape : public std::optional<Shape> {
 public:
  using std::optional<Shape>::optional;
  OptionalShape() = default;
  OptionalShape(std::initializer_list<Shape::Dim> dims) : std::optional<Shape>(Shape(dims)) {}
  OptionalShape(const std::pair<int64_t, int64_t>& size)  // NOLINT(google-explicit-constructor)
      : OptionalShape({size.first, size.second}) {}
};

}  // namespace antler
