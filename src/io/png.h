#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace antler::io {

/// Encodes 8-bit samples [height, width, channels] (1 grey, 2 grey and alpha, 3 RGB, 4 RGBA) as a
/// PNG file. Throws ValueError for other numbers of channels and for empty images.
std::string encode_png(std::span<const uint8_t> samples, int64_t height, int64_t width,
                       int64_t channels);

}  // namespace antler::io
