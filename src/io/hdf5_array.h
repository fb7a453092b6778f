#pragma once

#include "antler/core/tensor.h"
#include "io/hdf5_types.h"

namespace antler::io::hdf5 {

/// The elements of an array as they stand in the file: together, in the header itself, or in
/// chunks, which may be filtered (parse_filters). Elements that were never written have the value
/// that the file names. `size`: bytes of an element. Throws IOError for data that is damaged or
/// larger than the file can hold (and than 64 MiB); ValueError for other filters and for data that
/// is in other files or arrays.
std::string read_elements(const Objects& file, const Messages& messages, const Space& space,
                          uint64_t size);

}  // namespace antler::io::hdf5
