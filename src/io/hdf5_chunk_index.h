#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "io/hdf5_types.h"

namespace antler::io::hdf5 {

/// An array that is cut into parts of equal size.
struct ChunkGrid {
  std::vector<uint64_t> shape;
  std::vector<uint64_t> limits;  ///< sizes that it may grow to; kUnlimited where there is no limit
  std::vector<uint64_t> dims;    ///< of a part, none 0
  uint64_t chunk_bytes = 0;      ///< without filters
};

/// Where a part is.
struct ChunkPlace {
  std::vector<uint64_t> first;  ///< index of its first element
  uint64_t address = 0;
  uint64_t bytes = 0;    ///< in the file
  uint32_t skipped = 0;  ///< a bit for each filter that was not used
};
using ChunkVisitor = std::function<void(const ChunkPlace&)>;

/// Calls `visit` for each part that was written, by the indexes of the latest format: `rest` is the
/// layout message from the kind of its index on, `flags` those of the message. Throws IOError.
void visit_chunks(const Objects& file, const ChunkGrid& grid, uint32_t flags, Cursor rest,
                  const ChunkVisitor& visit);

}  // namespace antler::io::hdf5
