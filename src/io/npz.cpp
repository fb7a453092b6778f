#include <sys/stat.h>
#include <zip.h>

#include <memory>
#include <set>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/npy.h"
#include "io/npy_elements.h"
#include "io/npy_header.h"

namespace antler::io {
namespace {

constexpr std::string_view kEnding = ".npy";
/// An archive without entries: only its end record. libzip does not write one.
constexpr std::string_view kEmptyArchive("PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);
/// Deflate cannot do better than 1032 to 1; what claims more is made to fill memory.
constexpr uint64_t kMaxRatio = 1032;

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

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

/// One file of an archive, read from its beginning to its end.
class EntrySource : public ByteSource {
 public:
  EntrySource(zip_t* archive, uint64_t index, uint64_t size, std::string where)
      : where_(std::move(where)), file_(zip_fopen_index(archive, index, 0)), remaining_(size) {
    if (file_ == nullptr) throw IOError(where_ + ": " + zip_strerror(archive) + ".");
  }
  void read(void* to, size_t count) override {
    auto* at = static_cast<char*>(to);
    while (count > 0) {
      const zip_int64_t n = zip_fread(file_.get(), at, count);
      if (n <= 0) throw IOError(where_ + ": " + (n < 0 ? reason() : "the data is cut off") + ".");
      at += n;
      count -= static_cast<size_t>(n);
      remaining_ -= static_cast<uint64_t>(n);
    }
  }
  uint64_t remaining() const override { return remaining_; }
  /// The checksum is compared when the end is seen.
  void finish() {
    char extra = 0;
    const zip_int64_t n = zip_fread(file_.get(), &extra, 1);
    if (n != 0) throw IOError(where_ + ": " + (n < 0 ? reason() : "more data than expected") + ".");
  }

 private:
  std::string reason() { return zip_file_strerror(file_.get()); }

  std::string where_;
  std::unique_ptr<zip_file_t, Discard> file_;
  uint64_t remaining_;
};

std::string entry_text(const std::string& where, const std::string& name) {
  return where + ", entry '" + name + "'";
}

/// `size` is that of the whole archive.
NamedTensors read_archive(zip_t* archive, uint64_t size, const std::string& where) {
  NamedTensors result;
  std::set<std::string> names;
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    zip_stat_t status;
    zip_stat_init(&status);
    constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
    if (zip_stat_index(archive, index, 0, &status) != 0 || (status.valid & kNeeded) != kNeeded) {
      throw IOError(where + ": " + zip_strerror(archive) + ".");
    }
    std::string name = status.name;
    const std::string entry = entry_text(where, name);
    if (!name.ends_with(kEnding)) {
      throw ValueError(entry + ": not an array. Expected names that end in '.npy'.");
    }
    if (status.comp_size > size || status.size / kMaxRatio > status.comp_size) {
      throw IOError(entry + ": the sizes in the archive are impossible.");
    }
    name.resize(name.size() - kEnding.size());
    if (!names.insert(name).second) throw IOError(entry + ": the name occurs twice.");
    EntrySource source(archive, index, status.size, entry);
    Tensor tensor = read_npy(source, entry);
    source.finish();
    result.emplace_back(std::move(name), std::move(tensor));
  }
  return result;
}

[[noreturn]] void refuse_name(const std::string& path, const std::string& name, const char* why) {
  throw ValueError("Cannot write '" + path + "': '" + name + "' " + why + ".");
}

void add_entry(zip_t* archive, const std::string& name, const std::string& header,
               const Tensor& tensor, bool compressed) {
  // libzip reads both parts when the archive is closed; header and tensor live until then.
  zip_buffer_fragment_t parts[2] = {
      {reinterpret_cast<zip_uint8_t*>(const_cast<char*>(header.data())), header.size()},
      {static_cast<zip_uint8_t*>(tensor.mutable_data()), tensor.bytes()}};
  ZipError error;
  zip_source_t* source = zip_source_buffer_fragment_create(parts, 2, 0, error.get());
  if (source == nullptr) throw IOError("Cannot write array '" + name + "': " + error.text() + ".");
  const zip_int64_t index =
      zip_file_add(archive, (name + std::string(kEnding)).c_str(), source, ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    zip_source_free(source);
    throw IOError("Cannot write array '" + name + "': " + zip_strerror(archive) + ".");
  }
  const auto at = static_cast<zip_uint64_t>(index);
  // 1980-01-01, as NumPy writes: equal arrays give equal files.
  constexpr zip_uint16_t kDate = 1 << 5 | 1;
  if (zip_set_file_compression(archive, at, compressed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0) != 0 ||
      zip_file_set_dostime(archive, at, 0, kDate, 0) != 0) {
    throw IOError("Cannot write array '" + name + "': " + zip_strerror(archive) + ".");
  }
}

}  // namespace

NamedTensors load_npz(const std::string& path) {
  int code = 0;
  const Archive archive(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (archive == nullptr) {
    if (code == ZIP_ER_NOENT) throw NotFoundError("There is no file '" + path + "'.");
    throw IOError("Cannot read '" + path + "': " + ZipError(code).text() + ".");
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw IOError("Cannot read '" + path + "'.");
  return read_archive(archive.get(), static_cast<uint64_t>(status.st_size), "'" + path + "'");
}

NamedTensors parse_npz(std::string_view bytes) {
  ZipError error;
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, error.get());
  if (source == nullptr) throw IOError("Cannot read the .npz data: " + error.text() + ".");
  const Archive archive(zip_open_from_source(source, ZIP_RDONLY, error.get()));
  if (archive == nullptr) {
    zip_source_free(source);
    throw IOError("Cannot read the .npz data: " + error.text() + ".");
  }
  return read_archive(archive.get(), bytes.size(), "The .npz data");
}

void save_npz(const std::string& path, const NamedTensors& entries, const NpzOptions& options) {
  if (entries.empty()) return write_file_atomically(path, kEmptyArchive);
  AtomicFile target(path);
  std::vector<std::string> headers;
  std::set<std::string> names;
  for (const auto& [name, tensor] : entries) {
    if (name.empty() || name.find('\0') != std::string::npos) {
      refuse_name(path, name, "is not a name for an array");
    }
    if (!names.insert(name).second) refuse_name(path, name, "is the name of two arrays");
    tensor.data();  // throws when there are no elements
    headers.push_back(make_npy_header(tensor.spec()));
  }
  int code = 0;
  Archive archive(zip_open(target.temporary_path().c_str(), ZIP_CREATE | ZIP_EXCL, &code));
  if (archive == nullptr) {
    throw IOError("Cannot write '" + path + "': " + ZipError(code).text() + ".");
  }
  for (size_t i = 0; i < entries.size(); ++i) {
    add_entry(archive.get(), entries[i].first, headers[i], entries[i].second, options.compressed);
  }
  if (zip_close(archive.get()) != 0) {
    throw IOError("Cannot write '" + path + "': " + zip_strerror(archive.get()) + ".");
  }
  (void)archive.release();  // closed
  target.commit();
}

}  // namespace antler::io
