#include "antler/io/idx.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <optional>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/gzip.h"

namespace antler::io {
namespace {

static_assert(std::endian::native == std::endian::little, "the bytes of elements are reversed");

std::optional<DType> dtype_of_code(unsigned char code) {
  switch (code) {
    case 0x08:
      return DType::uint8;
    case 0x09:
      return DType::int8;
    case 0x0B:
      return DType::int16;
    case 0x0C:
      return DType::int32;
    case 0x0D:
      return DType::float32;
    case 0x0E:
      return DType::float64;
    default:
      return std::nullopt;
  }
}

uint32_t big_endian(const char* bytes) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// Layout: 0 0 <type> <rank>, a size of 32 bits per dimension, and the elements.
Tensor parse_plain(std::string_view bytes) {
  constexpr size_t kMagic = 4;
  if (bytes.size() < kMagic || bytes[0] != 0 || bytes[1] != 0) {
    throw IOError("Not an IDX file: it does not start with two zero bytes.");
  }
  const std::optional<DType> dtype = dtype_of_code(static_cast<unsigned char>(bytes[2]));
  if (!dtype) {
    throw IOError("Corrupt IDX file: unknown type {}.", static_cast<unsigned char>(bytes[2]));
  }
  const size_t rank = static_cast<unsigned char>(bytes[3]);
  if (bytes.size() < kMagic + 4 * rank) throw IOError("Corrupt IDX file: its header is truncated.");
  Shape shape;
  const size_t size = dtype_size(*dtype);
  auto total = static_cast<int64_t>(size);
  bool empty = false;
  for (size_t i = 0; i < rank; ++i) {
    shape.push_back(big_endian(bytes.data() + kMagic + 4 * i));
    empty = empty || shape.back() == 0;
    if (shape.back() != 0 && __builtin_mul_overflow(total, shape.back(), &total)) {
      throw IOError("Corrupt IDX file: the shape is too large.");
    }
  }
  if (empty) total = 0;
  bytes.remove_prefix(kMagic + 4 * rank);
  if (bytes.size() != static_cast<uint64_t>(total)) {
    throw IOError(
        "Corrupt IDX file: expected {} bytes of elements for shape {} and dtype {}. Found {}.",
        total, shape, dtype_name(*dtype), bytes.size());
  }
  Tensor result = Tensor::empty(*dtype, shape);
  auto* to = static_cast<std::byte*>(result.mutable_data());
  if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
  if (size > 1) {
    for (size_t at = 0; at < bytes.size(); at += size) std::reverse(to + at, to + at + size);
  }
  return result;
}

}  // namespace

Tensor parse_idx(std::string_view bytes) {
  return is_gzip(bytes) ? parse_plain(gunzip(bytes)) : parse_plain(bytes);
}

Tensor load_idx(const std::string& path) {
  const std::string bytes = read_file(path);
  try {
    return parse_idx(bytes);
  } catch (const IOError& error) {
    throw IOError("'{}': {}", path, error.what());
  }
}

}  // namespace antler::io
