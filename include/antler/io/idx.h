#pragma once

#include <string>
#include <string_view>

#include "antler/core/tensor.h"

namespace antler::io {

/// Reads an IDX file, the format of the MNIST database: numbers of type uint8, int8, int16, int32,
/// float32 or float64, big-endian, row-major. It may be compressed by gzip, whatever its name.
/// Throws NotFoundError; IOError for a file that is damaged or longer or shorter than its head
/// says.
Tensor load_idx(const std::string& path);
/// The same, from the bytes of a file.
Tensor parse_idx(std::string_view bytes);

}  // namespace antler::io
