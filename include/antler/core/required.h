#pragma once

#include <concepts>
#include <optional>
#include <utility>

#include "antler/base/error.h"

namespace antler {

/// Options with their defaults. Required fields are still to be set.
template <class Options>
Options default_options();

/// A field of an options struct that has no default: leaving it out does not compile. If it is left
/// out among keywords, reading it throws TypeError.
template <class T>
class Required {
 public:
  Required(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  /// From what converts to T: a number for a Required<Tensor>.
  template <std::convertible_to<T> U>
  requires(!std::same_as<U, T> && !std::same_as<U, Required>)
      Required(U value)  // NOLINT(google-explicit-constructor)
      : value_(std::move(value)) {}
  operator const T&() const {  // NOLINT(google-explicit-constructor)
    if (!value_) throw TypeError("A required keyword argument is missing.");
    return *value_;
  }

 private:
  template <class Options>
  friend Options default_options();
  Required() = default;

  std::optional<T> value_;
};

template <class Options>
Options default_options() {
  return Options{};  // here, because only a friend can leave out a required field
}

}  // namespace antler
