#pragma once

#include "antler/core/tensor.h"
#include "io/hdf5_types.h"

namespace antler::io::hdf5 {

/// The elements of a dataset as stored in the file: contiguous, in the object header, or in chunks
/// to which filters may apply. Elements that were never written have the dataset's fill value.
/// `size` is that of an element in bytes. Throws IOError for corrupt data and for datasets larger
/// than both 64 MiB and what a file of this size can hold; ValueError for unknown filters and for
/// external or virtual data.
std::string read_elements(const Objects& file, const Messages& messages, const Space& space,
                          uint64_t size);

}  // namespace antler::io::hdf5
