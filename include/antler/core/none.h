#pragma once

#include <concepts>
#include <optional>
#include <type_traits>

namespace antler {

/// Python's None: a size that is not known yet (`Input({None, 8})`), an option that is not given
/// (`.weights = None`), an end of a slice (`Slice(10, None)`), or a new axis (`x[{Slice(),
/// None}]`).
struct NoneType {
  template <class T>
  requires(std::is_default_constructible_v<T> &&
           (std::constructible_from<T, std::nullopt_t> || requires(const T& t) { t.given(); }))
  operator T() const {  // NOLINT(google-explicit-constructor): it stands for an option
    return T();
  }
};
inline constexpr NoneType None;  // NOLINT(readability-identifier-naming): Python's name

}  // namespace antler
