#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "antler/core/shape.h"

namespace antler {

/// Field type of a shape that may be left out, which stands in one pair of braces:
/// `{.input_shape = {224, 224, 3}}`. Otherwise a std::optional of a Shape.
class OptionalShape : public std::optional<Shape> {
 public:
  using std::optional<Shape>::optional;
  OptionalShape() = default;
  OptionalShape(std::initializer_list<int64_t> dims) : std::optional<Shape>(dims) {}
};

}  // namespace antler
