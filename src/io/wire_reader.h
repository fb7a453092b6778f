#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace antler::io {

/// Reads the wire format of Protocol Buffers, field by field:
///
///     for (WireReader r(bytes, "the graph"); r.next();) {
///       if (r.field() == 1) name = r.bytes();
///     }
///
/// The bytes must outlive the reader. All functions throw IOError, which names `what`, if the bytes
/// are not a message or a field does not have the requested type. Reads any bytes in bounded
/// memory, without protobuf's library (see wire.h).
class WireReader {
 public:
  WireReader(std::string_view message, const char* what) : rest_(message), what_(what) {}

  /// Advances to the next field; false at the end.
  bool next();
  int field() const { return field_; }
  int64_t integer() const;
  bool boolean() const { return integer() != 0; }
  uint32_t fixed32() const;
  float float32() const;
  double float64() const;
  std::string_view bytes() const;
  std::string string() const { return std::string(bytes()); }
  /// The field as a nested message.
  WireReader message() const { return {bytes(), what_}; }
  /// Appends the values of a repeated field, packed or not.
  void append(std::vector<int64_t>& values) const;
  void append(std::vector<float>& values) const;
  void append(std::vector<double>& values) const;

 private:
  [[noreturn]] void fail(const char* problem) const;
  uint64_t varint(std::string_view& from) const;
  std::string_view take(size_t size);
  template <class T>
  void append_fixed(std::vector<T>& values, int type) const;

  std::string_view rest_;
  const char* what_;
  int field_ = 0;
  int type_ = 0;
  uint64_t integer_ = 0;
  std::string_view bytes_;  // of all types but varints
};

}  // namespace antler::io
