#pragma once

#include <string>
#include <string_view>

namespace antler {

/// MD5 (RFC 1321) in 32 hexadecimal digits. Not secure: for checksums, and for hashes that Keras
/// defines as MD5.
std::string md5(std::string_view bytes);

/// SHA-256 (FIPS 180-4) in 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace antler
