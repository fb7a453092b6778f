#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace antler::utils {

/// MD5 (RFC 1321), for the hash of that name in Keras's hashing_trick; nothing secret rests on it.
std::array<uint8_t, 16> md5(std::string_view bytes);
/// The digest, read as one number with the first byte highest, modulo `divisor` (> 0, < 2^56).
uint64_t remainder_of(const std::array<uint8_t, 16>& digest, uint64_t divisor);

}  // namespace antler::utils
