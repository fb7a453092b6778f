#pragma once

#include <concepts>
#include <string>

namespace antler {

/// A string or a string literal. Constructors with an overload for options in braces take it as a
/// template, because braces would also convert to std::string.
template <class S>
concept StringLike = std::convertible_to<const S&, std::string>;

}  // namespace antler
