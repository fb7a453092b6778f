#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

namespace antler {

/// One axis or several, as Keras takes them; negative ones count from the end.
class AxisList {
 public:
  template <std::integral T>
  AxisList(T axis)  // NOLINT(google-explicit-constructor): a number is a list of one
      : values_{static_cast<int64_t>(axis)}, single_(true) {}
  AxisList(std::initializer_list<int64_t> axes) : values_(axes), single_(false) {}
  AxisList() : single_(false) {}
  explicit AxisList(std::vector<int64_t> axes) : values_(std::move(axes)), single_(false) {}

  const std::vector<int64_t>& values() const { return values_; }
  /// Whether a single number was given. Configurations then hold a number, not a list.
  bool single() const { return single_; }

 private:
  std::vector<int64_t> values_;
  bool single_;
};

}  // namespace antler
