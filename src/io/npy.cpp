#include "antler/io/npy.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <vector>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "io/byte_file.h"
#include "io/npy_elements.h"
#include "io/npy_header.h"

namespace antler::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "elements are written as they are in memory");

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : bytes_(bytes) {}
  void read(void* to, size_t count) override {
    if (count > bytes_.size()) throw IOError("The .npy data is truncated.");
    if (count > 0) std::memcpy(to, bytes_.data(), count);
    bytes_.remove_prefix(count);
  }
  uint64_t remaining() const override { return bytes_.size(); }

 private:
  std::string_view bytes_;
};

class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::string& path) : file_(ByteFile::open(path)) {}
  void read(void* to, size_t count) override {
    file_.read_into(to, at_, count);
    at_ += count;
  }
  uint64_t remaining() const override { return file_.size() - at_; }

 private:
  ByteFile file_;
  uint64_t at_ = 0;
};

void reverse_bytes(std::byte* data, size_t count, size_t size) {
  for (size_t i = 0; i < count; ++i) std::reverse(data + i * size, data + (i + 1) * size);
}

/// Copies column-major elements in row-major order.
void transpose(const std::byte* from, std::byte* to, const Shape& shape, size_t size) {
  const auto rank = static_cast<size_t>(shape.rank());
  std::vector<int64_t> strides(rank, 1);
  for (size_t i = 1; i < rank; ++i) strides[i] = strides[i - 1] * shape.dims()[i - 1];
  std::vector<int64_t> index(rank, 0);
  const int64_t count = shape.num_elements();
  int64_t at = 0;
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + static_cast<size_t>(i) * size, from + static_cast<size_t>(at) * size, size);
    for (size_t axis = rank; axis-- > 0;) {
      at += strides[axis];
      if (++index[axis] < shape.dims()[axis]) break;
      at -= strides[axis] * shape.dims()[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace

Tensor read_npy(ByteSource& source, const std::string& where) {
  const NpyHeader header = read_npy_header(source, where);
  Tensor result = Tensor::empty(header.spec.dtype, header.spec.shape);
  auto* data = static_cast<std::byte*>(result.mutable_data());
  const auto bytes = static_cast<size_t>(header.data_bytes);
  const size_t size = dtype_size(header.spec.dtype);
  source.read(data, bytes);
  if (header.swap_bytes) reverse_bytes(data, bytes / size, size);
  if (header.spec.dtype == DType::boolean) {
    // In C++ only 0 and 1 are valid bytes of a bool.
    for (size_t i = 0; i < bytes; ++i) data[i] = std::byte{data[i] != std::byte{0}};
  }
  if (!header.fortran_order || header.spec.shape.rank() < 2) return result;
  Tensor rows = Tensor::empty(header.spec.dtype, header.spec.shape);
  transpose(data, static_cast<std::byte*>(rows.mutable_data()), header.spec.shape, size);
  return rows;
}

Tensor load_npy(const std::string& path) {
  FileSource source(path);
  return read_npy(source, "'" + path + "'");
}

Tensor parse_npy(std::string_view bytes) {
  MemorySource source(bytes);
  return read_npy(source, "The .npy data");
}

std::string format_npy(const Tensor& tensor) {
  const auto* data = static_cast<const char*>(tensor.data());
  return make_npy_header(tensor.spec()).append(data, tensor.bytes());
}

void save_npy(const std::string& path, const Tensor& tensor) {
  write_file_atomically(path, format_npy(tensor));
}

}  // namespace antler::io
