#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/hdf5_objects.h"

namespace antler::io::hdf5 {

/// A filter that was applied to chunks when they were written.
struct Filter {
  uint32_t id = 0;
  uint32_t first_value = 0;  ///< first parameter
};

/// The filters of a dataset in the order in which they were applied: deflate, shuffle, Fletcher-32
/// and h5py's LZF. Throws ValueError for others; IOError.
std::vector<Filter> parse_filters(const Objects& file, const Messages& messages);

/// Undoes all filters of a chunk except those whose bit is set in `skipped`. Throws IOError if the
/// result does not have `chunk_bytes` bytes.
std::string unfiltered(const FileBytes& file, const std::vector<Filter>& filters, uint32_t skipped,
                       std::string bytes, uint64_t chunk_bytes);

}  // namespace antler::io::hdf5
