#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/shape.h"

namespace antler {

class Tensor;

/// An array of strings (UTF-8), row-major, on the host.
struct StringTensor {
  Shape shape;
  std::vector<std::string> values;

  StringTensor() = default;
  /// A vector.
  StringTensor(std::vector<std::string> strings)  // NOLINT(google-explicit-constructor)
      : shape{static_cast<int64_t>(strings.size())}, values(std::move(strings)) {}
  StringTensor(std::initializer_list<const char*> strings)
      : StringTensor(std::vector<std::string>(strings.begin(), strings.end())) {}
  /// Throws ValueError if their number does not match the shape.
  StringTensor(std::vector<std::string> strings, Shape shape);
  /// Strings as they are written, row by row: `StringTensor::of({{"a", "b"}, {"c", "d"}})`. Throws
  /// ValueError for rows of different lengths.
  static StringTensor of(std::initializer_list<std::initializer_list<const char*>> rows);

  /// string_handles(): ops and models take strings in this form.
  operator Tensor() const;  // NOLINT(google-explicit-constructor)

  int rank() const { return shape.rank(); }
  friend bool operator==(const StringTensor& a, const StringTensor& b) = default;
};

}  // namespace antler
