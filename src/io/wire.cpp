#include "io/wire.h"

#include "io/little_endian.h"

namespace antler::io {
namespace {

constexpr int kVarint = 0;
constexpr int kFixed64 = 1;
constexpr int kLength = 2;
constexpr int kFixed32 = 5;

}  // namespace

void WireWriter::varint(uint64_t value) {
  while (value >= 0x80) {
    text_ += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  text_ += static_cast<char>(value);
}

void WireWriter::integer(int field, int64_t value) {
  key(field, kVarint);
  varint(static_cast<uint64_t>(value));
}

void WireWriter::float32(int field, float value) {
  key(field, kFixed32);
  append_little_endian(text_, value);
}

void WireWriter::float64(int field, double value) {
  key(field, kFixed64);
  append_little_endian(text_, value);
}

void WireWriter::bytes(int field, std::string_view value) {
  key(field, kLength);
  varint(value.size());
  text_ += value;
}

void WireWriter::packed(int field, std::span<const double> values) {
  key(field, kLength);
  varint(values.size() * sizeof(double));
  for (const double value : values) append_little_endian(text_, value);
}

void WireWriter::packed(int field, std::span<const int64_t> values) {
  WireWriter all;
  for (const int64_t value : values) all.varint(static_cast<uint64_t>(value));
  bytes(field, all.text_);
}

}  // namespace antler::io
