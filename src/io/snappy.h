#pragma once

#include <string>
#include <string_view>

namespace antler::io {

/// Decompresses a block in Snappy's raw format (format_description.txt of google/snappy). Throws
/// IOError for a corrupt block, before it allocates more memory than a block of this size can fill.
std::string uncompress_snappy(std::string_view block);

}  // namespace antler::io
