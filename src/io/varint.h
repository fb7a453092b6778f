#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace antler::io {

/// Numbers of 7 bits a byte, lowest first, as Protocol Buffers and LevelDB write them.
inline void append_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

/// Takes one from the front of `from`; none where it does not end.
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
