#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace antler {

/// Lower case, ASCII only.
inline std::string to_lower(std::string_view string) {
  std::string lower(string);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

/// The strings of a range with `separator` between them (Python's str.join).
template <class Strings>
std::string join(const Strings& strings, std::string_view separator = ", ") {
  std::string joined;
  bool first = true;
  for (const auto& string : strings) {
    if (!first) joined += separator;
    first = false;
    joined += string;
  }
  return joined;
}

}  // namespace antler
