#pragma once

#include <string>

#include "antler/core/tensor.h"
#include "io/npy_header.h"

namespace antler::io {

/// Reads a .npy file; `where` names it in messages. Throws IOError, ValueError.
Tensor read_npy(ByteSource& source, const std::string& where);

}  // namespace antler::io
