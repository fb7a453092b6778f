#pragma once

#include <string>

namespace antler::io {

/// A field of a CSV file in the dialect "excel" of Python's csv module: quoted only if it must be.
inline std::string csv_field(const std::string& text, char separator = ',') {
  if (text.find_first_of(std::string("\"\r\n") + separator) == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

}  // namespace antler::io
