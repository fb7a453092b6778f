#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace antler::io {

/// Whether the bytes begin with gzip's magic number.
bool is_gzip(std::string_view bytes);

/// Decompresses a gzip file with one member. Throws IOError if the data is corrupt (the checksum is
/// verified), truncated, followed by other bytes, or larger than `max_bytes`.
std::string gunzip(std::string_view bytes, uint64_t max_bytes = uint64_t{1} << 34);

}  // namespace antler::io
