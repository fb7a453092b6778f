#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace antler::io {

/// Whether these bytes start as a gzip file does.
bool is_gzip(std::string_view bytes);

/// The content of a gzip file of one member. Throws IOError for one that is damaged (its checksum
/// is compared), cut off, followed by other bytes, or that holds more than `max_bytes`.
std::string gunzip(std::string_view bytes, uint64_t max_bytes = uint64_t{1} << 34);

}  // namespace antler::io
