#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace antler {

/// Base 64 (RFC 4648, section 4) with padding.
std::string encode_base64(std::string_view bytes);

/// The inverse; nullopt for a string that encode_base64() cannot have returned.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace antler
