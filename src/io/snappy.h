#pragma once

#include <string>
#include <string_view>

namespace antler::io {

/// The text that a block of Snappy's raw format (format_description.txt of google/snappy) stands
/// for. Throws IOError for a damaged block, before it takes more memory than such a block can fill.
std::string uncompress_snappy(std::string_view block);

}  // namespace antler::io
