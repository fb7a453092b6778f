#include "io/zip_handle.h"

#include <sys/stat.h>

#include "antler/base/error.h"

namespace antler::io {

ZipArchive open_zip(const std::string& path) {
  int code = 0;
  ZipArchive archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (archive == nullptr) {
    if (code == ZIP_ER_NOENT) throw NotFoundError("There is no file '{}'.", path);
    throw IOError("Cannot read '{}': {}.", path, ZipError(code).message());
  }
  return archive;
}

ZipArchive create_zip(const std::string& temporary, const std::string& path) {
  int code = 0;
  ZipArchive archive(zip_open(temporary.c_str(), ZIP_CREATE | ZIP_EXCL, &code));
  if (archive == nullptr) {
    throw IOError("Cannot write '{}': {}.", path, ZipError(code).message());
  }
  return archive;
}

void close_zip(ZipArchive archive, const std::string& path) {
  if (zip_close(archive.get()) != 0) {
    throw IOError("Cannot write '{}': {}.", path, zip_strerror(archive.get()));
  }
  (void)archive.release();  // closed
}

uint64_t file_size(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw IOError("Cannot read '{}'.", path);
  return static_cast<uint64_t>(status.st_size);
}

zip_stat_t stat_entry(zip_t* archive, uint64_t index, uint64_t archive_size,
                      const std::string& where) {
  // Deflate's best compression ratio. An entry that claims more is meant to exhaust memory.
  constexpr uint64_t kMaxRatio = 1032;
  constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
  zip_stat_t status;
  zip_stat_init(&status);
  if (zip_stat_index(archive, index, 0, &status) != 0 || (status.valid & kNeeded) != kNeeded) {
    throw IOError("{}: {}.", where, zip_strerror(archive));
  }
  if (status.comp_size > archive_size || status.size / kMaxRatio > status.comp_size) {
    throw IOError("{}, entry '{}': the sizes in the archive are impossible.", where, status.name);
  }
  return status;
}

void add_zip_entry(zip_t* archive, const std::string& name, zip_source_t* source, bool compressed) {
  const zip_int64_t index = zip_file_add(archive, name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    throw IOError("Cannot write entry '{}': {}.", name, zip_strerror(archive));
  }
  const auto at = static_cast<zip_uint64_t>(index);
  constexpr zip_uint16_t kDate = 1 << 5 | 1;
  if (zip_set_file_compression(archive, at, compressed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0) != 0 ||
      zip_file_set_dostime(archive, at, 0, kDate, 0) != 0) {
    throw IOError("Cannot write entry '{}': {}.", name, zip_strerror(archive));
  }
}

}  // namespace antler::io
