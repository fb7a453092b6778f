#pragma once

#include <concepts>
#include <utility>

namespace antler {

/// A field of an options struct that has no default: leaving it out does not compile.
template <class T>
class Required {
 public:
  Required(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  /// From what converts to T: a number for a Required<Tensor>.
  template <std::convertible_to<T> U>
  requires(!std::same_as<U, T> && !std::same_as<U, Required>)
      Required(U value)  // NOLINT(google-explicit-constructor)
      : value_(std::move(value)) {}
  operator const T&() const { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  T value_;
};

}  // namespace antler
