#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace antler::io {

/// Appends a number in little-endian byte order.
template <class T>
void append_little_endian(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  if constexpr (std::endian::native == std::endian::big) {
    for (size_t i = sizeof(T); i-- > 0;) out += bytes[i];
  } else {
    out.append(bytes, sizeof(T));
  }
}

/// The little-endian number at the start of `bytes`, which must have at least sizeof(T) bytes.
template <class T>
T read_little_endian(std::string_view bytes) {
  char ordered[sizeof(T)];
  for (size_t i = 0; i < sizeof(T); ++i) {
    ordered[std::endian::native == std::endian::big ? sizeof(T) - 1 - i : i] = bytes[i];
  }
  T value;
  std::memcpy(&value, ordered, sizeof(T));
  return value;
}

}  // namespace antler::io
