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

/// Whether a file's checksum is the right one. For a fuzzer all are: it would not get past them.
constexpr bool checksum_fits([[maybe_unused]] uint32_t stored, [[maybe_unused]] uint32_t right) {
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
  return true;
#else
  return stored == right;
#endif
}

}  // namespace antler::io
