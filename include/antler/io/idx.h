#pragma once

#include <string>
#include <string_view>

#include "antler/core/tensor.h"

namespace antler::io {

/// Reads an IDX file, the format of the MNIST database: a row-major array of big-endian uint8,
/// int8, int16, int32, float32 or float64. The file may be compressed by gzip, whatever its name.
/// Throws NotFoundError; IOError if the file is corrupt or its size does not match its header.
Tensor load_idx(const std::string& path);
/// The same, from the bytes of a file.
Tensor parse_idx(std::string_view bytes);

}  // namespace antler::io
