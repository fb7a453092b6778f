#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// LevelDB's table format (doc/table_format.md of google/leveldb): sorted keys with values, in
/// blocks with checksums. The index of a TensorFlow checkpoint is such a table.
namespace antler::io {

using TableEntries = std::vector<std::pair<std::string, std::string>>;

/// All entries of a table, in order. Blocks may be compressed by Snappy. Throws IOError for a
/// corrupt or truncated table.
TableEntries parse_table(std::string_view bytes);
/// The bytes of an uncompressed table. Keys must be strictly increasing.
std::string format_table(const TableEntries& entries);

}  // namespace antler::io
