#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace antler {

/// `text` with its ASCII letters in lower case.
inline std::string to_lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// "a, b, c". `string_of` gives the string of an item.
template <class Range, class StringOf = std::identity>
std::string join(const Range& items, std::string_view separator = ", ", StringOf string_of = {}) {
  std::string result;
  bool first = true;
  for (const auto& item : items) {
    if (!first) result += separator;
    first = false;
    result += std::invoke(string_of, item);
  }
  return result;
}

/// "'a', 'b', 'c'", for messages that list names.
template <class Range, class StringOf = std::identity>
std::string join_quoted(const Range& items, StringOf string_of = {}) {
  return join(items, ", ", [&](const auto& item) {
    return '\'' + std::string(std::invoke(string_of, item)) + '\'';
  });
}

}  // namespace antler
