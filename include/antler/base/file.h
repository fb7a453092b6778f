#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace antler {

/// The contents of a file. Throws NotFoundError if it does not exist, IOError if it cannot be read.
std::string read_file(const std::string& path);

/// Creates or replaces a file; readers see the old contents or the new ones, never a part. Throws
/// what AtomicFile throws.
void write_file_atomically(const std::string& path, std::string_view bytes);

/// A file that appears under its name only when it is complete: write to temporary_path(), in the
/// same folder, then commit(). Without commit() nothing remains.
class AtomicFile {
 public:
  /// A symbolic link is followed. Throws IOError if `path` is a folder, a device or the like,
  /// NotFoundError if its folder does not exist.
  explicit AtomicFile(const std::string& path);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  /// Not created yet; no other process uses the name.
  const std::string& temporary_path() const { return temporary_; }
  /// Flushes the temporary file to disk and renames it. Keeps the permissions of a file that it
  /// replaces. Throws IOError.
  void commit();

 private:
  std::string path_;
  std::string temporary_;
};

/// Deletes temporary files of AtomicFile that killed processes left in `folder`. `is_own` gets the
/// final name of such a file and says whether to delete it. Files are kept if their process still
/// runs on this machine, or if they were written in the last ten minutes, because their process may
/// run on another machine.
void remove_stale_temporaries(const std::string& folder,
                              const std::function<bool(std::string_view name)>& is_own);

}  // namespace antler
