#include "base/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

// Implemented here because the libraries that have it (OpenSSL, Boost) would be new dependencies.

namespace antler {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr uint8_t kNoDigit = 255;

/// The value of each character as a digit.
constexpr std::array<uint8_t, 256> digit_values() {
  std::array<uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (uint8_t i = 0; i < kDigits.size(); ++i) values[static_cast<uint8_t>(kDigits[i])] = i;
  return values;
}

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - at);
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i)
      group = group << 8 | (i < count ? static_cast<uint8_t>(bytes[at + i]) : 0U);
    for (size_t i = 0; i < 4; ++i) text += i <= count ? kDigits[group >> (18 - 6 * i) & 63U] : '=';
  }
  return text;
}

std::optional<std::string> decode_base64(std::string_view text) {
  static constexpr std::array<uint8_t, 256> kValues = digit_values();
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  for (size_t at = 0; at < text.size(); at += 4) {
    uint32_t group = 0;
    for (const char c : text.substr(at, 4)) {
      const uint8_t digit = c == '=' ? 0 : kValues[static_cast<uint8_t>(c)];
      if (digit == kNoDigit) return std::nullopt;
      group = group << 6 | digit;
    }
    for (const int shift : {16, 8, 0}) bytes += static_cast<char>(group >> shift & 255U);
  }
  if (text.ends_with("==")) bytes.pop_back();
  if (text.ends_with('=')) bytes.pop_back();
  if (encode_base64(bytes) != text) return std::nullopt;  // wrong length, padding or unused bits
  return bytes;
}

}  // namespace antler
