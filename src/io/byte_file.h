#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace antler::io {

/// The bytes of a file on disk or in memory, read at any offset. Thread-safe.
class ByteFile {
 public:
  /// Throws NotFoundError; IOError if the file cannot be opened or is not a regular file.
  static ByteFile open(const std::string& path);
  /// A file in memory; `name` is used in messages.
  ByteFile(std::string bytes, std::string name)
      : name_(std::move(name)), bytes_(std::move(bytes)), size_(bytes_.size()) {}
  ByteFile(ByteFile&& other) noexcept;
  ByteFile& operator=(ByteFile&&) = delete;
  ~ByteFile();

  uint64_t size() const { return size_; }
  /// The path in quotes, or the name of a file in memory.
  const std::string& name() const { return name_; }
  /// Throws IOError if the file has no bytes [offset, offset + count), before it allocates memory.
  std::string read(uint64_t offset, uint64_t count) const;
  void read_into(void* to, uint64_t offset, uint64_t count) const;

 private:
  ByteFile(std::string name, int descriptor) : name_(std::move(name)), descriptor_(descriptor) {}
  void check_range(uint64_t offset, uint64_t count) const;

  std::string name_;
  std::string bytes_;    // of a file in memory
  int descriptor_ = -1;  // of a file on disk
  uint64_t size_ = 0;
};

}  // namespace antler::io
