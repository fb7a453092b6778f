#include "io/wire_reader.h"

#include "antler/base/error.h"
#include "io/little_endian.h"
#include "io/varint.h"
#include "io/wire_types.h"

namespace antler::io {

void WireReader::fail(const char* problem) const {
  throw IOError("{} is corrupt: {}.", what_, problem);
}

uint64_t WireReader::varint(std::string_view& from) const {
  const auto value = take_varint(from);
  if (!value) fail("a number is truncated");
  return *value;
}

std::string_view WireReader::take(size_t size) {
  if (size > rest_.size()) fail("it ends inside a field");
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return taken;
}

bool WireReader::next() {
  if (rest_.empty()) return false;
  const uint64_t key = varint(rest_);
  if (key >> 3 == 0 || key >> 3 > 0x1FFFFFFF) fail("a field number is invalid");
  field_ = static_cast<int>(key >> 3);
  type_ = static_cast<int>(key & 7);
  switch (type_) {
    case wire::kVarint:
      integer_ = varint(rest_);
      break;
    case wire::kFixed64:
      bytes_ = take(sizeof(uint64_t));
      break;
    case wire::kLength:
      bytes_ = take(varint(rest_));
      break;
    case wire::kFixed32:
      bytes_ = take(sizeof(uint32_t));
      break;
    default:
      fail("the type of a field is unknown");
  }
  return true;
}

int64_t WireReader::integer() const {
  if (type_ != wire::kVarint) fail("a field is not an integer");
  return static_cast<int64_t>(integer_);
}

uint32_t WireReader::fixed32() const {
  if (type_ != wire::kFixed32) fail("a field does not have 32 bits");
  return read_little_endian<uint32_t>(bytes_);
}

float WireReader::float32() const {
  if (type_ != wire::kFixed32) fail("a field is not a float");
  return read_little_endian<float>(bytes_);
}

double WireReader::float64() const {
  if (type_ != wire::kFixed64) fail("a field is not a double");
  return read_little_endian<double>(bytes_);
}

std::string_view WireReader::bytes() const {
  if (type_ != wire::kLength) fail("a field is not a string");
  return bytes_;
}

void WireReader::append(std::vector<int64_t>& values) const {
  if (type_ == wire::kVarint) {
    values.push_back(integer());
    return;
  }
  for (std::string_view packed = bytes(); !packed.empty();) {
    values.push_back(static_cast<int64_t>(varint(packed)));
  }
}

template <class T>
void WireReader::append_fixed(std::vector<T>& values, int type) const {
  if (type_ != type && type_ != wire::kLength) fail("a field is not a list of floats");
  if (bytes_.size() % sizeof(T) != 0) fail("a list of floats is truncated");
  for (size_t at = 0; at < bytes_.size(); at += sizeof(T)) {
    values.push_back(read_little_endian<T>(bytes_.substr(at)));
  }
}

void WireReader::append(std::vector<float>& values) const { append_fixed(values, wire::kFixed32); }

void WireReader::append(std::vector<double>& values) const { append_fixed(values, wire::kFixed64); }

}  // namespace antler::io
