#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/shape.h"

namespace antler {

/// An array of strings (UTF-8), row-major, on the host. No op takes it: layers that read or write
/// text turn it into tensors of numbers, or the other way.
struct StringTensor {
  Shape shape;
  std::vector<std::string> values;

  StringTensor() = default;
  /// A vector.
  StringTensor(std::vector<std::string> texts)  // NOLINT(google-explicit-constructor)
      : shape{static_cast<int64_t>(texts.size())}, values(std::move(texts)) {}
  StringTensor(std::initializer_list<const char*> texts)
      : StringTensor(std::vector<std::string>(texts.begin(), texts.end())) {}
  /// Throws ValueError where the count does not match.
  StringTensor(std::vector<std::string> texts, Shape shape);
  /// Texts as they are written, row by row: `StringTensor::of({{"a", "b"}, {"c", "d"}})`. Throws
  /// ValueError for rows of different lengths.
  static StringTensor of(std::initializer_list<std::initializer_list<const char*>> rows);

  int rank() const { return shape.rank(); }
  friend bool operator==(const StringTensor& a, const StringTensor& b) = default;
};

}  // namespace antler
