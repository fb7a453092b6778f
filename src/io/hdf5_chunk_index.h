#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "io/hdf5_types.h"

namespace antler::io::hdf5 {

/// A dataset in chunks of equal size.
struct ChunkGrid {
  std::vector<uint64_t> shape;
  std::vector<uint64_t> limits;  ///< largest sizes of the dimensions; kUnlimited for no limit
  std::vector<uint64_t> dims;    ///< of a chunk; none is 0
  uint64_t chunk_bytes = 0;      ///< without filters
};

/// Location of a chunk.
struct ChunkPlace {
  std::vector<uint64_t> first;  ///< index of the chunk's first element
  uint64_t address = 0;
  uint64_t bytes = 0;    ///< in the file
  uint32_t skipped = 0;  ///< a bit for each filter that was not applied
};
using ChunkVisitor = std::function<void(const ChunkPlace&)>;

/// Calls `visit` for each chunk that was written. Reads the chunk indexes of the latest format:
/// `rest` is the layout message from its index type on, `flags` are those of the message. Throws
/// IOError.
void visit_chunks(const Objects& file, const ChunkGrid& grid, uint32_t flags, Cursor rest,
                  const ChunkVisitor& visit);

}  // namespace antler::io::hdf5
