#pragma once

#include <cstdint>
#include <string_view>

namespace antler::io {

/// CRC-32C (Castagnoli), the checksum of TFRecord files and checkpoints.
uint32_t crc32c(std::string_view bytes);
/// The checksum of some bytes followed by `bytes`; `crc` is the checksum of the former.
uint32_t extend_crc32c(uint32_t crc, std::string_view bytes);
/// The masked form that files store: rotated and offset, because a checksum of data that contains
/// checksums is weak.
uint32_t mask_crc32c(uint32_t crc);
uint32_t masked_crc32c(std::string_view bytes);

/// Whether a checksum in a file is right. Always true in fuzzers, whose inputs would otherwise
/// hardly ever pass.
constexpr bool checksum_fits([[maybe_unused]] uint32_t stored, [[maybe_unused]] uint32_t right) {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  return true;
#else
  return stored == right;
#endif
}

}  // namespace antler::io
