#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/hdf5_objects.h"

namespace antler::io::hdf5 {

/// The records of a B-tree of version 2, which have equal size, in order.
struct TreeRecords {
  int type = 0;  ///< of the records
  uint64_t record_bytes = 0;
  std::vector<std::string> records;
};

// Types of records.
inline constexpr int kHugeObjects = 1;
inline constexpr int kLinksByName = 5;
inline constexpr int kAttributesByName = 8;
inline constexpr int kPlainChunks = 10;
inline constexpr int kFilteredChunks = 11;

/// Reads the B-tree of version 2 whose header is at `address`. Throws IOError if it is corrupt.
TreeRecords read_record_tree(const Objects& file, uint64_t address);

}  // namespace antler::io::hdf5
