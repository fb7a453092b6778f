#pragma once

#include "antler/core/tensor.h"
#include "io/hdf5_types.h"

namespace antler::io::hdf5 {

/// The elements of an array as they stand in the file: together, in the header itself, or in
/// chunks, which may be compressed by deflate, shuffled and checked (Fletcher-32). `size`: bytes of
/// an element. Throws IOError for data that is damaged, missing or larger than the file can hold;
/// ValueError for other compressions and for chunks of the latest format.
std::string read_elements(const Objects& file, const Messages& messages, const Shape& shape,
                          uint64_t size);

}  // namespace antler::io::hdf5
