#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "antler/core/tensor.h"

namespace antler::io {

/// What the head of a .npy file says.
struct NpyHeader {
  TensorSpec spec;
  bool fortran_order = false;
  bool swap_bytes = false;  ///< elements are big-endian
  uint64_t data_bytes = 0;  ///< length of the elements behind the head
};

/// Where the bytes of a .npy file come from.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Reads exactly `count` bytes. Throws IOError when there are fewer.
  virtual void read(void* to, size_t count) = 0;
  /// Bytes that are left.
  virtual uint64_t remaining() const = 0;
};

/// Reads the head; `where` names the file in messages. The elements that it promises are there: its
/// data_bytes equal what `source` has left. Throws IOError, ValueError.
NpyHeader read_npy_header(ByteSource& source, const std::string& where);

/// The head of a file of this dtype and shape, padded to 64 bytes.
std::string make_npy_header(const TensorSpec& spec);

}  // namespace antler::io
