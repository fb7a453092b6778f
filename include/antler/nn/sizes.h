#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "antler/core/named_only.h"

namespace antler {

/// Sizes per spatial dimension, as Keras takes them: one number for all, a list, or nothing (the
/// default of the field).
class Sizes {
 public:
  Sizes() = default;
  template <std::integral T>
  Sizes(T value) : values_{static_cast<int64_t>(value)} {}  // NOLINT(google-explicit-constructor)
  /// One number in braces is that number, as elsewhere in C++: `.strides = {2}`.
  Sizes(std::initializer_list<int64_t> values) : values_(values), is_list_(values.size() != 1) {}
  Sizes(std::vector<int64_t> values)  // NOLINT(google-explicit-constructor)
      : values_(std::move(values)), is_list_(true) {}

  bool given() const { return !values_.empty(); }
  const std::vector<int64_t>& values() const { return values_; }
  /// One entry per dimension, or `otherwise` if nothing was given. Throws a ValueError that names
  /// `what` for a list whose length is not `rank`, and for entries below `least`.
  std::vector<int64_t> expand(int rank, int64_t otherwise, const char* what,
                              int64_t least = 1) const;

 private:
  std::vector<int64_t> values_;
  bool is_list_ = false;
};

}  // namespace antler
