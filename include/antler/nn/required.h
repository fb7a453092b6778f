#pragma once

#include <utility>

namespace antler {

/// A field of an options struct that has no default: leaving it out does not compile.
template <class T>
class Required {
 public:
  Required(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  operator const T&() const { return value_; }     // NOLINT(google-explicit-constructor)

 private:
  T value_;
};

}  // namespace antler
