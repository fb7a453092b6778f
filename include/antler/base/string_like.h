#pragma once

#include <concepts>
#include <string>

namespace antler {

/// A string or a string literal. Constructors that stand beside one of options in braces take it as
/// a template, since braces would fit a std::string too.
template <class S>
concept StringLike = std::convertible_to<const S&, std::string>;

}  // namespace antler
