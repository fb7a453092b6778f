#include <memory>
#include <set>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/npy.h"
#include "io/npy_elements.h"
#include "io/npy_header.h"
#include "io/zip_handle.h"

namespace antler::io {
namespace {

constexpr std::string_view kExtension = ".npy";

/// An entry of an archive, read from its beginning to its end.
class EntrySource : public ByteSource {
 public:
  EntrySource(zip_t* archive, uint64_t index, uint64_t size, std::string where)
      : where_(std::move(where)), file_(zip_fopen_index(archive, index, 0)), remaining_(size) {
    if (file_ == nullptr) throw IOError("{}: {}.", where_, zip_strerror(archive));
  }
  void read(void* to, size_t count) override {
    auto* at = static_cast<char*>(to);
    while (count > 0) {
      const zip_int64_t n = zip_fread(file_.get(), at, count);
      if (n <= 0) throw IOError("{}: {}.", where_, n < 0 ? reason() : "the data is truncated");
      at += n;
      count -= static_cast<size_t>(n);
      remaining_ -= static_cast<uint64_t>(n);
    }
  }
  uint64_t remaining() const override { return remaining_; }
  /// Reads the end of the entry, where libzip verifies the checksum.
  void finish() {
    char extra = 0;
    const zip_int64_t n = zip_fread(file_.get(), &extra, 1);
    if (n != 0) throw IOError("{}: {}.", where_, n < 0 ? reason() : "more data than expected");
  }

 private:
  std::string reason() { return zip_file_strerror(file_.get()); }

  std::string where_;
  std::unique_ptr<zip_file_t, ZipDiscard> file_;
  uint64_t remaining_;
};

/// `size` is the size of the whole archive; `where` names it in messages.
NamedTensors read_archive(zip_t* archive, uint64_t size, const std::string& where) {
  NamedTensors result;
  std::set<std::string> names;
  const zip_int64_t count = zip_get_num_entries(archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const auto index = static_cast<zip_uint64_t>(i);
    const zip_stat_t status = stat_entry(archive, index, size, where);
    std::string name = status.name;
    const std::string entry = format("{}, entry '{}'", where, name);
    if (!name.ends_with(kExtension)) {
      throw ValueError("{}: it is not an array. Expected names that end in '.npy'.", entry);
    }
    name.resize(name.size() - kExtension.size());
    if (!names.insert(name).second) throw IOError("{}: the name occurs twice.", entry);
    EntrySource source(archive, index, status.size, entry);
    Tensor tensor = read_npy(source, entry);
    source.finish();
    result.emplace_back(std::move(name), std::move(tensor));
  }
  return result;
}

[[noreturn]] void refuse_name(const std::string& path, const std::string& name, const char* why) {
  throw ValueError("Cannot write '{}': '{}' {}.", path, name, why);
}

void add_entry(zip_t* archive, const std::string& name, const std::string& header,
               const Tensor& tensor, bool compressed) {
  // libzip reads both parts when the archive is closed. The header and the tensor live until then.
  zip_buffer_fragment_t parts[2] = {
      {reinterpret_cast<zip_uint8_t*>(const_cast<char*>(header.data())), header.size()},
      {static_cast<zip_uint8_t*>(tensor.mutable_data()), tensor.bytes()}};
  ZipError error;
  zip_source_t* source = zip_source_buffer_fragment_create(parts, 2, 0, error.get());
  if (source == nullptr) throw IOError("Cannot write array '{}': {}.", name, error.message());
  add_zip_entry(archive, name + std::string(kExtension), source, compressed);
}

}  // namespace

NamedTensors load_npz(const std::string& path) {
  const ZipArchive archive = open_zip(path);
  return read_archive(archive.get(), file_size(path), "'" + path + "'");
}

NamedTensors parse_npz(std::string_view bytes) {
  ZipError error;
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, error.get());
  if (source == nullptr) throw IOError("Cannot read the .npz data: {}.", error.message());
  const ZipArchive archive(zip_open_from_source(source, ZIP_RDONLY, error.get()));
  if (archive == nullptr) {
    zip_source_free(source);
    throw IOError("Cannot read the .npz data: {}.", error.message());
  }
  return read_archive(archive.get(), bytes.size(), "The .npz data");
}

void save_npz(const std::string& path, const NamedTensors& entries, const NpzOptions& options) {
  if (entries.empty()) return write_file_atomically(path, kEmptyZip);
  AtomicFile target(path);
  std::vector<std::string> headers;
  std::set<std::string> names;
  for (const auto& [name, tensor] : entries) {
    if (name.empty() || name.find('\0') != std::string::npos) {
      refuse_name(path, name, "is not a valid name of an array");
    }
    if (!names.insert(name).second) refuse_name(path, name, "is the name of two arrays");
    tensor.data();  // throws if there is no buffer
    headers.push_back(make_npy_header(tensor.spec()));
  }
  ZipArchive archive = create_zip(target.temporary_path(), path);
  for (size_t i = 0; i < entries.size(); ++i) {
    add_entry(archive.get(), entries[i].first, headers[i], entries[i].second, options.compressed);
  }
  close_zip(std::move(archive), path);
  target.commit();
}

}  // namespace antler::io
