#include "antler/io/zip.h"

#include <set>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "io/zip_handle.h"

namespace antler::io {

struct ZipReader::Archive {
  ZipArchive zip;
  std::string name;
  uint64_t size = 0;
};

ZipReader ZipReader::open(const std::string& path) {
  auto archive = std::make_shared<Archive>();
  archive->zip = open_zip(path);
  archive->name = "'" + path + "'";
  archive->size = file_size(path);
  return ZipReader(std::move(archive));
}

std::vector<std::string> ZipReader::names() const {
  std::vector<std::string> names;
  const zip_int64_t count = zip_get_num_entries(archive_->zip.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(archive_->zip.get(), static_cast<zip_uint64_t>(i), 0);
    if (name == nullptr) {
      throw IOError("{}: {}.", archive_->name, zip_strerror(archive_->zip.get()));
    }
    names.emplace_back(name);
  }
  return names;
}

bool ZipReader::contains(const std::string& name) const {
  return zip_name_locate(archive_->zip.get(), name.c_str(), 0) >= 0;
}

std::string ZipReader::read(const std::string& name) const {
  zip_t* zip = archive_->zip.get();
  const zip_int64_t index = zip_name_locate(zip, name.c_str(), 0);
  if (index < 0) throw KeyError("{} has no entry '{}'.", archive_->name, name);
  const auto at = static_cast<zip_uint64_t>(index);
  const zip_stat_t status = stat_entry(zip, at, archive_->size, archive_->name);
  const std::string where = format("{}, entry '{}'", archive_->name, name);
  const std::unique_ptr<zip_file_t, ZipDiscard> file(zip_fopen_index(zip, at, 0));
  if (file == nullptr) throw IOError("{}: {}.", where, zip_strerror(zip));
  std::string bytes(status.size, '\0');
  size_t done = 0;
  // libzip verifies the checksum when the end is read, one byte after the content.
  for (char extra = 0;;) {
    const bool full = done == bytes.size();
    const zip_int64_t n =
        zip_fread(file.get(), full ? &extra : bytes.data() + done, full ? 1 : bytes.size() - done);
    if (n < 0) throw IOError("{}: {}.", where, zip_file_strerror(file.get()));
    if (n == 0 && full) return bytes;
    if (n == 0) throw IOError("{}: the data is truncated.", where);
    if (full) throw IOError("{}: more data than expected.", where);
    done += static_cast<size_t>(n);
  }
}

void save_zip(const std::string& path, const std::vector<ZipEntry>& entries) {
  if (entries.empty()) return write_file_atomically(path, kEmptyZip);
  AtomicFile target(path);
  std::set<std::string> names;
  for (const ZipEntry& entry : entries) {
    if (entry.name.empty() || entry.name.find('\0') != std::string::npos ||
        !names.insert(entry.name).second) {
      throw ValueError("Cannot write '{}': the entry name '{}' is invalid or occurs twice.", path,
                       entry.name);
    }
  }
  ZipArchive archive = create_zip(target.temporary_path(), path);
  for (const ZipEntry& entry : entries) {
    ZipError error;
    zip_source_t* source =
        zip_source_buffer_create(entry.bytes.data(), entry.bytes.size(), 0, error.get());
    if (source == nullptr) throw IOError("Cannot write '{}': {}.", path, error.message());
    add_zip_entry(archive.get(), entry.name, source, /*compressed=*/false);
  }
  close_zip(std::move(archive), path);
  target.commit();
}

}  // namespace antler::io
