#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace antler {

/// The string with the letters A to Z in lower case, whatever the locale; other bytes are
/// unchanged.
inline std::string to_lower(std::string_view string) {
  std::string result(string);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// The items of a range, converted by `to_string` and joined by `separator`.
template <class Range, class ToString = std::identity>
std::string join(const Range& items, std::string_view separator = ", ", ToString to_string = {}) {
  std::string result;
  bool first = true;
  for (const auto& item : items) {
    if (!std::exchange(first, false)) result += separator;
    result += std::invoke(to_string, item);
  }
  return result;
}

}  // namespace antler
