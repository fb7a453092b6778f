#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// LevelDB's table format (doc/table_format.md of google/leveldb), in which the index of a
/// TensorFlow checkpoint is written: sorted keys with values, in blocks with checksums.
namespace antler::io {

using TableEntries = std::vector<std::pair<std::string, std::string>>;

/// All entries of a table, in order. Blocks may be compressed by Snappy. Throws IOError for a
/// table that is damaged or cut off.
TableEntries parse_table(std::string_view bytes);
/// The bytes of a table, not compressed; keys in strictly rising order.
std::string format_table(const TableEntries& entries);

}  // namespace antler::io
