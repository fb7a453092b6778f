#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace antler::io::hdf5 {

/// The bytes of an HDF5 file, on disk or in memory. Any thread may read.
class FileBytes {
 public:
  /// Throws NotFoundError, IOError.
  static std::shared_ptr<const FileBytes> open(const std::string& path);
  static std::shared_ptr<const FileBytes> of(std::string_view bytes, std::string name);
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  ~FileBytes();

  uint64_t size() const { return size_; }
  /// Throws IOError for bytes that the file does not have.
  std::string read(uint64_t at, uint64_t count) const;
  void read_into(void* to, uint64_t at, uint64_t count) const;
  /// Throws IOError that names the file: "... is damaged: <why>."
  [[noreturn]] void damaged(const std::string& why) const;
  /// Throws ValueError: what is fine in HDF5, but not read here.
  [[noreturn]] void unknown(const std::string& what) const;
  const std::string& name() const { return name_; }

 private:
  FileBytes(std::string name, std::string bytes, int file, uint64_t size)
      : name_(std::move(name)), bytes_(std::move(bytes)), file_(file), size_(size) {}

  std::string name_;  // for messages
  std::string bytes_;
  int file_ = -1;
  uint64_t size_ = 0;
};

/// Reads numbers, lowest byte first, from a part of a file.
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
