#include "antler/io/tar.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/gzip.h"
#include "io/byte_file.h"
#include "io/crc32c.h"

// Antler reads tar by itself: it needs only regular files, at any offset of the archive and from
// several threads, and corrupt archives must give an error in bounded memory.
//
// An archive is a sequence of blocks of 512 bytes. Each file is a header block followed by its
// content, padded to whole blocks. Two zero blocks end the archive. An extension is an entry before
// the entry that it describes.

namespace antler::io {
namespace {

constexpr uint64_t kBlock = 512;

[[noreturn]] void refuse(std::string_view why) {
  throw IOError("The tar archive is corrupt: {}.", why);
}

/// A field of a header, up to its first zero byte.
std::string_view string_field(std::string_view header, size_t offset, size_t size) {
  const std::string_view field = header.substr(offset, size);
  return field.substr(0, field.find('\0'));
}

/// Octal digits, perhaps between blanks; if the highest bit is set, a big-endian number (GNU).
uint64_t number_field(std::string_view header, size_t offset, size_t size) {
  const std::string_view field = header.substr(offset, size);
  uint64_t number = 0;
  if ((static_cast<uint8_t>(field[0]) & 0x80) != 0) {
    for (size_t i = 1; i < field.size(); ++i) {
      if (number >> 55 != 0) refuse("a size is too large");
      number = number << 8 | static_cast<uint8_t>(field[i]);
    }
    return number;
  }
  size_t at = field.find_first_not_of(' ');
  for (; at < field.size() && field[at] >= '0' && field[at] <= '7'; ++at) {
    number = number << 3 | static_cast<uint64_t>(field[at] - '0');
  }
  if (at < field.size() && field[at] != ' ' && field[at] != '\0') refuse("a number is invalid");
  return number;
}

/// Whether a header has the right checksum: the sum of its bytes, where those of the checksum
/// itself count as blanks.
bool header_sum_fits(std::string_view header) {
  uint64_t sum = 0;
  for (size_t i = 0; i < header.size(); ++i) {
    sum += i >= 148 && i < 156 ? uint64_t{' '} : static_cast<uint8_t>(header[i]);
  }
  return checksum_fits(static_cast<uint32_t>(number_field(header, 148, 8)),
                       static_cast<uint32_t>(sum));
}

/// Name and size of the next entry, as given by extensions.
struct Extension {
  std::optional<std::string> name;
  std::optional<uint64_t> size;
};

/// Reads the records "<length> <key>=<value>\n" of a pax header.
void read_pax(std::string_view records, Extension& extension) {
  while (!records.empty()) {
    size_t length = 0;
    const auto [end, error] =
        std::from_chars(records.data(), records.data() + records.size(), length);
    const auto digits = static_cast<size_t>(end - records.data());
    if (error != std::errc() || length > records.size() || length < digits + 2 ||
        records[digits] != ' ') {
      refuse("an extended header is invalid");
    }
    const std::string_view record = records.substr(digits + 1, length - digits - 2);
    records.remove_prefix(length);
    const size_t equals = record.find('=');
    if (equals == std::string_view::npos) refuse("an extended header has no value");
    const std::string_view value = record.substr(equals + 1);
    if (record.substr(0, equals) == "path") extension.name = std::string(value);
    if (record.substr(0, equals) != "size") continue;
    uint64_t size = 0;
    if (std::from_chars(value.data(), value.data() + value.size(), size).ec != std::errc()) {
      refuse("the size in an extended header is invalid");
    }
    extension.size = size;
  }
}

std::string clean_name(std::string name) {
  while (name.starts_with("./")) name.erase(0, 2);
  return name;
}

std::vector<TarReader::Entry> read_index(const ByteFile& bytes) {
  constexpr uint64_t kMaxExtension = 1 << 20;
  std::vector<TarReader::Entry> entries;
  Extension extension;
  uint64_t at = 0;
  while (at + kBlock <= bytes.size()) {
    const std::string header = bytes.read(at, kBlock);
    if (header.find_first_not_of('\0') == std::string::npos) return entries;
    if (!header_sum_fits(header)) {
      if (at == 0) throw IOError("This is not a tar archive.");
      refuse("the checksum of a header does not match");
    }
    at += kBlock;
    const char type = header[156];
    const bool is_extension = type == 'x' || type == 'g' || type == 'L' || type == 'K';
    uint64_t size = number_field(header, 124, 12);
    if (!is_extension && extension.size) size = *extension.size;
    // Links and folders have no content, whatever their size says.
    const bool has_bytes = is_extension || type == '0' || type == '\0' || type == '7';
    if (type >= '1' && type <= '6') size = 0;
    if (size > bytes.size() - at) refuse("it is truncated");
    if (is_extension) {
      if (size > kMaxExtension) refuse(format("an extended header has {} bytes", size));
      const std::string content = bytes.read(at, size);
      if (type == 'x') read_pax(content, extension);
      if (type == 'L') extension.name = content.substr(0, content.find('\0'));
    } else {
      std::string name(string_field(header, 0, 100));
      const std::string_view prefix = string_field(header, 345, 155);
      if (header.compare(257, 6, std::string("ustar\0", 6)) == 0 && !prefix.empty()) {
        name = std::string(prefix) + "/" + name;
      }
      if (extension.name) name = *extension.name;
      if (has_bytes && !name.empty() && !name.ends_with('/')) {
        entries.push_back({clean_name(std::move(name)), at, size});
      }
      extension = {};
    }
    at += std::min((size + kBlock - 1) / kBlock * kBlock, bytes.size() - at);
  }
  // Some writers omit the zero blocks at the end.
  if (at != bytes.size()) refuse("it is truncated");
  if (at == 0) throw IOError("This is not a tar archive.");
  return entries;
}

}  // namespace

struct TarReader::Archive {
  explicit Archive(ByteFile file) : bytes(std::move(file)), entries(read_index(bytes)) {}
  ByteFile bytes;
  std::vector<Entry> entries;
};

TarReader TarReader::parse(std::string bytes, const TarOptions& options) {
  if (is_gzip(bytes)) bytes = gunzip(bytes, options.max_bytes);
  return TarReader(std::make_shared<Archive>(ByteFile(std::move(bytes), "The tar archive")));
}

TarReader TarReader::open(const std::string& path, const TarOptions& options) {
  std::error_code ignored;
  if (std::filesystem::is_fifo(path, ignored)) return parse(read_file(path), options);
  ByteFile file = ByteFile::open(path);
  try {
    if (file.size() >= 2 && is_gzip(file.read(0, 2))) {
      return parse(file.read(0, file.size()), options);
    }
    return TarReader(std::make_shared<Archive>(std::move(file)));
  } catch (const IOError& error) {
    throw IOError("'{}': {}", path, error.what());
  }
}

const std::vector<TarReader::Entry>& TarReader::entries() const { return archive_->entries; }

std::string TarReader::read(size_t index) const {
  if (index >= entries().size()) {
    throw IndexError("The index {} is out of range: the tar archive has {} files.", index,
                     entries().size());
  }
  return archive_->bytes.read(entries()[index].offset, entries()[index].size);
}

}  // namespace antler::io
