#pragma once

#include <zip.h>

#include <cstdint>
#include <memory>
#include <string>

namespace antler::io {

/// An empty archive: only its end record. libzip does not write one.
inline constexpr std::string_view kEmptyZip("PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);

struct ZipDiscard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using ZipArchive = std::unique_ptr<zip_t, ZipDiscard>;

/// An error of libzip as text; frees what the record holds.
class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  explicit ZipError(int code) { zip_error_init_with_code(&error_, code); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  ~ZipError() { zip_error_fini(&error_); }
  zip_error_t* get() { return &error_; }
  std::string text() { return zip_error_strerror(&error_); }

 private:
  zip_error_t error_;
};

/// Opens a file to read. Throws NotFoundError, IOError.
ZipArchive open_zip(const std::string& path);
/// Opens a new file to write. Throws IOError with `path`, the name that it will have.
ZipArchive create_zip(const std::string& temporary, const std::string& path);
/// Writes and closes. Throws IOError.
void close_zip(ZipArchive archive, const std::string& path);
/// Bytes of a file. Throws IOError.
uint64_t file_size(const std::string& path);
/// Name and sizes of an entry of an archive of `archive_size` bytes. Throws IOError where the sizes
/// are impossible; `where` names the archive.
zip_stat_t stat_entry(zip_t* archive, uint64_t index, uint64_t archive_size,
                      const std::string& where);
/// Adds an entry that reads `source` when the archive is closed; takes the source. Dated
/// 1980-01-01, so that equal contents give equal files.
void add_zip_entry(zip_t* archive, const std::string& name, zip_source_t* source, bool compressed);

}  // namespace antler::io
