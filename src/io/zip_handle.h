#pragma once

#include <zip.h>

#include <cstdint>
#include <memory>
#include <string>

namespace antler::io {

/// An empty archive: only an end record. libzip does not write empty archives.
inline constexpr std::string_view kEmptyZip("PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);

struct ZipDiscard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using ZipArchive = std::unique_ptr<zip_t, ZipDiscard>;

/// An error of libzip.
class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  explicit ZipError(int code) { zip_error_init_with_code(&error_, code); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  ~ZipError() { zip_error_fini(&error_); }
  zip_error_t* get() { return &error_; }
  std::string message() { return zip_error_strerror(&error_); }

 private:
  zip_error_t error_;
};

/// Opens a file for reading. Throws NotFoundError, IOError.
ZipArchive open_zip(const std::string& path);
/// Creates the file `temporary` for writing. Errors name `path`, its final name. Throws IOError.
ZipArchive create_zip(const std::string& temporary, const std::string& path);
/// Writes and closes. Throws IOError.
void close_zip(ZipArchive archive, const std::string& path);
/// Size of a file in bytes. Throws IOError.
uint64_t file_size(const std::string& path);
/// Name and sizes of an entry. Throws IOError if the sizes are impossible in an archive of
/// `archive_size` bytes; `where` is the archive's name in messages.
zip_stat_t stat_entry(zip_t* archive, uint64_t index, uint64_t archive_size,
                      const std::string& where);
/// Adds an entry that reads `source` when the archive is closed. Takes ownership of the source. The
/// entry is dated 1980-01-01, so that equal contents give equal files.
void add_zip_entry(zip_t* archive, const std::string& name, zip_source_t* source, bool compressed);

}  // namespace antler::io
