#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace antler::io {

/// Writes the wire format of Protocol Buffers, field by field. Antler does so by itself because the
/// field numbers of the messages that it writes never change; generated classes would add
/// protobuf's headers and library to every build.
class WireWriter {
 public:
  void integer(int field, int64_t value);
  void boolean(int field, bool value) { integer(field, value ? 1 : 0); }
  void fixed32(int field, uint32_t value);
  void float32(int field, float value);
  void float64(int field, double value);
  void bytes(int field, std::string_view value);
  void message(int field, const WireWriter& value) { bytes(field, value.bytes_); }
  /// Packed repeated numbers.
  void packed(int field, std::span<const double> values);
  void packed(int field, std::span<const float> values);
  void packed(int field, std::span<const int64_t> values);
  /// Adds the fields of another message to this one.
  void append(const WireWriter& fields) { bytes_ += fields.bytes_; }
  /// The bytes written so far.
  const std::string& str() const { return bytes_; }

 private:
  void varint(uint64_t value);
  void key(int field, int type) {
    varint(static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(type));
  }

  std::string bytes_;
};

}  // namespace antler::io
