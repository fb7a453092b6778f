#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace antler::io {

/// Options of TarReader.
struct TarOptions {
  /// Largest size of a compressed archive after decompression. It is held in memory.
  uint64_t max_bytes = uint64_t{1} << 32;
};

/// The regular files of a tar archive (POSIX ustar and pax, GNU's long names), plain or compressed
/// by gzip. Links, folders and devices are skipped. Copies share the archive. Thread-safe.
class TarReader {
 public:
  /// A file of the archive.
  struct Entry {
    std::string name;     ///< with "/" between folders, without a leading "./"
    uint64_t offset = 0;  ///< of the content in the archive
    uint64_t size = 0;
  };

  /// Throws NotFoundError; IOError for a file that is not an archive, is corrupt or truncated, or
  /// is larger after decompression than the option allows.
  static TarReader open(const std::string& path, const TarOptions& options = {});
  /// The same, from the bytes of a file.
  static TarReader parse(std::string bytes, const TarOptions& options = {});

  /// In archive order.
  const std::vector<Entry>& entries() const;
  /// The content of an entry. Throws IndexError; IOError if the file can no longer be read.
  std::string read(size_t index) const;

 private:
  struct Archive;
  explicit TarReader(std::shared_ptr<const Archive> archive) : archive_(std::move(archive)) {}
  std::shared_ptr<const Archive> archive_;
};

}  // namespace antler::io
