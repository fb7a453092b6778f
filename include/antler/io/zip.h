#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Zip archives: stored and deflated entries are read, stored ones written.
namespace antler::io {

/// An archive that is read entry by entry; copies share it.
class ZipReader {
 public:
  /// Throws NotFoundError; IOError for what is no zip archive.
  static ZipReader open(const std::string& path);

  /// Names of the entries, in the order of the archive. Folders end in "/".
  std::vector<std::string> names() const;
  bool contains(const std::string& name) const;
  /// The bytes of an entry. Throws KeyError where there is none, IOError for one that is damaged or
  /// whose size in the archive is impossible.
  std::string read(const std::string& name) const;

 private:
  struct Archive;
  explicit ZipReader(std::shared_ptr<const Archive> archive) : archive_(std::move(archive)) {}
  std::shared_ptr<const Archive> archive_;
};

/// One file for save_zip().
struct ZipEntry {
  std::string name;
  std::string bytes;
};

/// Writes an archive of stored entries, replacing `path` when it is complete. Throws IOError;
/// ValueError for a name that is empty or occurs twice.
void save_zip(const std::string& path, const std::vector<ZipEntry>& entries);

}  // namespace antler::io
