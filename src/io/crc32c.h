#pragma once

#include <cstdint>
#include <string_view>

namespace antler::io {

/// CRC-32C (Castagnoli), as TFRecord and the checkpoint formats use it.
uint32_t crc32c(std::string_view bytes);
/// The checksum of what `crc` is the checksum of, followed by `bytes`.
uint32_t extend_crc32c(uint32_t crc, std::string_view bytes);
/// TFRecord's form of it: rotated and offset, so that a checksum of checksums stays one.
uint32_t mask_crc32c(uint32_t crc);
uint32_t masked_crc32c(std::string_view bytes);

}  // namespace antler::io
