#include "io/wire.h"

#include "io/little_endian.h"
#include "io/varint.h"
#include "io/wire_types.h"

namespace antler::io {

using wire::kFixed32;
using wire::kFixed64;
using wire::kLength;
using wire::kVarint;

void WireWriter::varint(uint64_t value) { append_varint(bytes_, value); }

void WireWriter::integer(int field, int64_t value) {
  key(field, kVarint);
  varint(static_cast<uint64_t>(value));
}

void WireWriter::fixed32(int field, uint32_t value) {
  key(field, kFixed32);
  append_little_endian(bytes_, value);
}

void WireWriter::float32(int field, float value) {
  key(field, kFixed32);
  append_little_endian(bytes_, value);
}

void WireWriter::float64(int field, double value) {
  key(field, kFixed64);
  append_little_endian(bytes_, value);
}

void WireWriter::bytes(int field, std::string_view value) {
  key(field, kLength);
  varint(value.size());
  bytes_ += value;
}

void WireWriter::packed(int field, std::span<const double> values) {
  key(field, kLength);
  varint(values.size() * sizeof(double));
  for (const double value : values) append_little_endian(bytes_, value);
}

void WireWriter::packed(int field, std::span<const float> values) {
  key(field, kLength);
  varint(values.size() * sizeof(float));
  for (const float value : values) append_little_endian(bytes_, value);
}

void WireWriter::packed(int field, std::span<const int64_t> values) {
  WireWriter all;
  for (const int64_t value : values) all.varint(static_cast<uint64_t>(value));
  bytes(field, all.bytes_);
}

}  // namespace antler::io
