#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace antler::io {

/// Appends a varint: seven bits per byte, lowest first, as in Protocol Buffers and LevelDB.
inline void append_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

/// Removes a varint from the front of `from`; nullopt if it is truncated.
inline std::optional<uint64_t> take_varint(std::string_view& from) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !from.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(from.front());
    from.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

}  // namespace antler::io
