#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "antler/core/tensor.h"

namespace antler::io {

/// Header of a .npy file.
struct NpyHeader {
  TensorSpec spec;
  bool fortran_order = false;
  bool swap_bytes = false;  ///< elements are big-endian
  uint64_t data_bytes = 0;  ///< size of the elements, which follow the header
};

/// Where the bytes of a .npy file come from.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Reads exactly `count` bytes. Throws IOError if there are fewer.
  virtual void read(void* to, size_t count) = 0;
  /// Number of bytes left.
  virtual uint64_t remaining() const = 0;
};

/// Reads the header; `where` names the file in messages. The result's data_bytes equal what
/// `source` has left. Throws IOError, ValueError.
NpyHeader read_npy_header(ByteSource& source, const std::string& where);

/// The header of a file of this dtype and shape, padded to a multiple of 64 bytes.
std::string make_npy_header(const TensorSpec& spec);

}  // namespace antler::io
