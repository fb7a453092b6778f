#pragma once

#include <cstdint>
#include <fstream>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace antler::io {

/// Appends records to a file in TensorFlow's TFRecord format: length, checksum of the length,
/// bytes, checksum of the bytes. The file is complete after each flush().
class TFRecordWriter {
 public:
  /// Replaces an existing file or, with `append`, continues it. Throws IOError if the file cannot
  /// be created.
  explicit TFRecordWriter(const std::string& path, bool append = false);
  /// Throws IOError if the record cannot be written, for example because the disk is full.
  void write(std::string_view record);
  void flush();

 private:
  std::string path_;
  std::ofstream file_;
};

/// Reads records one by one. A file compressed by gzip (TensorFlow's "GZIP") is decompressed in
/// memory first.
class TFRecordReader {
 public:
  /// Throws NotFoundError if there is no such file. Records longer than `max_bytes` are rejected,
  /// so that a corrupt length cannot use up memory.
  explicit TFRecordReader(const std::string& path, uint64_t max_bytes = uint64_t{1} << 32);
  /// The next record; nullopt at the end. Throws IOError if a checksum does not match or the file
  /// ends inside a record.
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
