#pragma once

#include <string>
#include <string_view>

namespace antler::data {

/// SHA-256 (FIPS 180-4) of some bytes, in 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace antler::data
