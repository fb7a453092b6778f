#pragma once

#include <string>
#include <string_view>

namespace antler {

/// The bytes of a file. Throws NotFoundError when there is none, IOError when it cannot be read.
std::string read_file(const std::string& path);

/// Replaces a file (or makes it) with `bytes`; readers see the old file or the new one, never a
/// part. Throws IOError.
void write_file_atomically(const std::string& path, std::string_view bytes);

/// A file that appears under its name only when it is complete: write to temporary_path(), in the
/// same folder, then commit(). Without commit() nothing remains.
class AtomicFile {
 public:
  /// A symbolic link is followed. Throws IOError when `path` names a folder, a device or the like,
  /// NotFoundError when its folder does not exist.
  explicit AtomicFile(const std::string& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  /// Not created yet; no other process uses the name.
  const std::string& temporary_path() const { return temporary_; }
  /// Flushes the temporary file to the disk and renames it. Permissions of a file that it replaces
  /// are kept. Throws IOError.
  void commit();

 private:
  std::string path_;
  std::string temporary_;
};

}  // namespace antler
