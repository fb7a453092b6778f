#pragma once

#include <cstdint>
#include <fstream>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace antler::io {

/// Appends records to a new file in TensorFlow's TFRecord format: length, checksum of the length,
/// bytes, checksum of the bytes. The file is complete after each flush().
class TFRecordWriter {
 public:
  /// Throws IOError when the file cannot be made; an existing one is replaced.
  explicit TFRecordWriter(const std::string& path);
  /// Throws IOError when the disk is full or the like.
  void write(std::string_view record);
  void flush();

 private:
  std::string path_;
  std::ofstream file_;
};

/// Reads records one by one. A file that was compressed by gzip (TensorFlow's "GZIP") is
/// uncompressed in memory first.
class TFRecordReader {
 public:
  /// Throws NotFoundError when there is no such file. A record longer than `max_bytes` is refused,
  /// so that a damaged length does not take the machine's memory.
  explicit TFRecordReader(const std::string& path, uint64_t max_bytes = uint64_t{1} << 32);
  /// The next record; none at the end. Throws IOError for a checksum that does not match and for a
  /// file that ends inside of a record.
  std::optional<std::string> next();

 private:
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  std::unique_ptr<std::istream> file_;
  uint64_t size_ = 0;
  uint64_t at_ = 0;
  uint64_t max_bytes_;
};

}  // namespace antler::io
