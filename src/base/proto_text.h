#pragma once

#include <string>

namespace antler {

/// A string in the text format of Protocol Buffers, with its quotes.
inline std::string quoted_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace antler
