#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Zip archives: stored and deflated entries are read, stored ones written.
namespace antler::io {

/// An archive that is read entry by entry. Copies share the archive.
class ZipReader {
 public:
  /// Throws NotFoundError; IOError if the file is not a zip archive.
  static ZipReader open(const std::string& path);

  /// Names of the entries, in archive order. Names of folders end in "/".
  std::vector<std::string> names() const;
  bool contains(const std::string& name) const;
  /// The bytes of an entry. Throws KeyError if there is none, IOError if it is corrupt or its
  /// recorded size is impossible.
  std::string read(const std::string& name) const;

 private:
  struct Archive;
  explicit ZipReader(std::shared_ptr<const Archive> archive) : archive_(std::move(archive)) {}
  std::shared_ptr<const Archive> archive_;
};

/// A file of an archive: name and content.
struct ZipEntry {
  std::string name;
  std::string bytes;
};

/// Writes an archive of stored (uncompressed) entries. `path` is replaced when the archive is
/// complete. Throws IOError; ValueError for a name that is empty or occurs twice.
void save_zip(const std::string& path, const std::vector<ZipEntry>& entries);

}  // namespace antler::io
