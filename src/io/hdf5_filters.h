#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/hdf5_objects.h"

namespace antler::io::hdf5 {

/// What was done to the parts of an array when they were written.
struct Filter {
  uint32_t id = 0;
  uint32_t first_value = 0;  ///< of its parameters
};

/// The filters of an array in the order in which they were used: deflate, shuffle, Fletcher-32 and
/// h5py's LZF. Throws ValueError for others, IOError.
std::vector<Filter> parse_filters(const Objects& file, const Messages& messages);

/// A part of an array as it was before all filters, but those whose bit is set in `skipped`. Throws
/// IOError where the result has not `chunk_bytes`.
std::string unfiltered(const FileBytes& file, const std::vector<Filter>& filters, uint32_t skipped,
                       std::string bytes, uint64_t chunk_bytes);

}  // namespace antler::io::hdf5
