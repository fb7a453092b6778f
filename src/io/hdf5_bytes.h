#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "io/byte_file.h"

namespace antler::io::hdf5 {

/// The bytes of an HDF5 file, with the errors that its readers throw. Thread-safe.
class FileBytes {
 public:
  explicit FileBytes(ByteFile file) : file_(std::move(file)) {}

  const std::string& name() const { return file_.name(); }
  uint64_t size() const { return file_.size(); }
  /// Throws IOError if the file does not have these bytes, before it allocates memory.
  std::string read(uint64_t at, uint64_t count) const;
  /// Throws IOError: the file is not valid HDF5.
  [[noreturn]] void damaged(std::string_view why) const;
  /// Throws ValueError: the file has something that is valid in HDF5 but not supported here.
  [[noreturn]] void unsupported(std::string_view what) const;

 private:
  ByteFile file_;
};

/// Reads little-endian numbers from a part of a file.
class Cursor {
 public:
  Cursor(const FileBytes& file, std::string_view part) : file_(&file), rest_(part) {}
  std::string_view take(uint64_t count);
  void skip(uint64_t count) { take(count); }
  /// A number of 1 to 8 bytes.
  uint64_t number(uint64_t bytes);
  uint32_t u8() { return static_cast<uint32_t>(number(1)); }
  uint32_t u16() { return static_cast<uint32_t>(number(2)); }
  uint32_t u32() { return static_cast<uint32_t>(number(4)); }
  uint64_t left() const { return rest_.size(); }
  std::string_view rest() const { return rest_; }
  const FileBytes& file() const { return *file_; }

 private:
  const FileBytes* file_;
  std::string_view rest_;
};

}  // namespace antler::io::hdf5
