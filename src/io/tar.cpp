#include "antler/io/tar.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/io/gzip.h"
#include "io/crc32c.h"

// An archive is blocks of 512 bytes: a header, then the file's bytes, filled up; zeros at the end.
// Extensions are entries of their own before the one that they are about.

namespace antler::io {
namespace {

constexpr uint64_t kBlock = 512;

/// Bytes of an archive: of a file, which is read where it is needed, or in memory.
class TarBytes {
 public:
  explicit TarBytes(std::string bytes) : bytes_(std::move(bytes)), size_(bytes_.size()) {}
  TarBytes(int file, uint64_t size) : file_(file), size_(size) {}
  TarBytes(const TarBytes&) = delete;
  TarBytes& operator=(const TarBytes&) = delete;
  ~TarBytes() {
    if (file_ >= 0) close(file_);
  }
  uint64_t size() const { return size_; }
  /// [offset, offset + count) lies within the size.
  std::string read(uint64_t offset, uint64_t count) const {
    if (file_ < 0) return bytes_.substr(offset, count);
    std::string part(count, '\0');
    uint64_t done = 0;
    while (done < count) {
      const ssize_t n =
          pread(file_, part.data() + done, count - done, static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0)
        throw IOError(std::string("Cannot read the tar archive: ") + strerror(errno) + ".");
      if (n == 0) throw IOError("The tar archive became shorter while it was read.");
      done += static_cast<uint64_t>(n);
    }
    return part;
  }

 private:
  std::string bytes_;
  int file_ = -1;
  uint64_t size_;
};

[[noreturn]] void refuse(const std::string& why) {
  throw IOError("The tar archive is damaged: " + why + ".");
}

std::string_view text_field(std::string_view header, size_t offset, size_t size) {
  const std::string_view field = header.substr(offset, size);
  return field.substr(0, field.find('\0'));
}

/// Octal digits between blanks, or, with the highest bit set, a big-endian number (GNU).
uint64_t number_field(std::string_view header, size_t offset, size_t size) {
  const std::string_view field = header.substr(offset, size);
  uint64_t number = 0;
  if ((static_cast<uint8_t>(field[0]) & 0x80) != 0) {
    for (size_t i = 1; i < field.size(); ++i) {
      if (number >> 55 != 0) refuse("an impossible size");
      number = number << 8 | static_cast<uint8_t>(field[i]);
    }
    return number;
  }
  size_t at = field.find_first_not_of(' ');
  for (; at < field.size() && field[at] >= '0' && field[at] <= '7'; ++at) {
    number = number << 3 | static_cast<uint64_t>(field[at] - '0');
  }
  if (at < field.size() && field[at] != ' ' && field[at] != '\0')
    refuse("a number with other text");
  return number;
}

/// The sum of all bytes of a header, with blanks in place of the sum itself.
bool header_sum_fits(std::string_view header) {
  uint64_t sum = 0;
  for (size_t i = 0; i < header.size(); ++i) {
    sum += i >= 148 && i < 156 ? uint64_t{' '} : static_cast<uint8_t>(header[i]);
  }
  return checksum_fits(static_cast<uint32_t>(number_field(header, 148, 8)),
                       static_cast<uint32_t>(sum));
}

/// What an extension says about the next entry.
struct Extension {
  std::optional<std::string> name;
  std::optional<uint64_t> size;
};

/// Records "<length> <key>=<value>\n" of a pax header.
void read_pax(std::string_view records, Extension& extension) {
  while (!records.empty()) {
    size_t length = 0;
    const auto [end, error] =
        std::from_chars(records.data(), records.data() + records.size(), length);
    const auto digits = static_cast<size_t>(end - records.data());
    if (error != std::errc() || length > records.size() || length < digits + 2 ||
        records[digits] != ' ') {
      refuse("an extended header that cannot be read");
    }
    const std::string_view record = records.substr(digits + 1, length - digits - 2);
    records.remove_prefix(length);
    const size_t equals = record.find('=');
    if (equals == std::string_view::npos) refuse("an extended header without a value");
    const std::string_view value = record.substr(equals + 1);
    if (record.substr(0, equals) == "path") extension.name = std::string(value);
    if (record.substr(0, equals) != "size") continue;
    uint64_t size = 0;
    if (std::from_chars(value.data(), value.data() + value.size(), size).ec != std::errc()) {
      refuse("an extended header with an impossible size");
    }
    extension.size = size;
  }
}

std::string clean_name(std::string name) {
  while (name.starts_with("./")) name.erase(0, 2);
  return name;
}

std::vector<TarReader::Entry> read_index(const TarBytes& bytes) {
  constexpr uint64_t kMaxExtension = 1 << 20;
  std::vector<TarReader::Entry> entries;
  Extension extension;
  uint64_t at = 0;
  while (at + kBlock <= bytes.size()) {
    const std::string header = bytes.read(at, kBlock);
    if (header.find_first_not_of('\0') == std::string::npos) return entries;
    if (!header_sum_fits(header)) {
      if (at == 0) throw IOError("This is no tar archive.");
      refuse("the checksum of a header does not fit");
    }
    at += kBlock;
    const char type = header[156];
    const bool is_extension = type == 'x' || type == 'g' || type == 'L' || type == 'K';
    uint64_t size = number_field(header, 124, 12);
    if (!is_extension && extension.size) size = *extension.size;
    // Links and folders have no bytes, whatever their size says.
    const bool has_bytes = is_extension || type == '0' || type == '\0' || type == '7';
    if (type >= '1' && type <= '6') size = 0;
    if (size > bytes.size() - at) refuse("it is cut off");
    if (is_extension) {
      if (size > kMaxExtension) refuse("an extended header of " + std::to_string(size) + " bytes");
      const std::string content = bytes.read(at, size);
      if (type == 'x') read_pax(content, extension);
      if (type == 'L') extension.name = content.substr(0, content.find('\0'));
    } else {
      std::string name(text_field(header, 0, 100));
      const std::string_view prefix = text_field(header, 345, 155);
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
  // Some writers leave the zeros out.
  if (at != bytes.size()) refuse("it is cut off");
  if (at == 0) throw IOError("This is no tar archive.");
  return entries;
}

}  // namespace

struct TarReader::Archive {
  explicit Archive(std::string content) : bytes(std::move(content)), entries(read_index(bytes)) {}
  Archive(int file, uint64_t size) : bytes(file, size), entries(read_index(bytes)) {}
  TarBytes bytes;
  std::vector<Entry> entries;
};

TarReader TarReader::parse(std::string bytes, const TarOptions& options) {
  if (is_gzip(bytes)) bytes = gunzip(bytes, options.max_bytes);
  return TarReader(std::make_shared<Archive>(std::move(bytes)));
}

TarReader TarReader::open(const std::string& path, const TarOptions& options) {
  try {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0 && errno == ENOENT) throw NotFoundError("File not found: '" + path + "'.");
    if (file < 0) throw IOError(std::string(strerror(errno)) + ".");
    char magic[2] = {};
    const bool compressed = pread(file, magic, 2, 0) == 2 && is_gzip({magic, 2});
    const off_t size = lseek(file, 0, SEEK_END);
    if (!compressed && size >= 0) {
      return TarReader(std::make_shared<Archive>(file, static_cast<uint64_t>(size)));
    }
    close(file);
    return parse(read_file(path), options);
  } catch (const IOError& error) {
    throw IOError("'" + path + "': " + error.what());
  }
}

const std::vector<TarReader::Entry>& TarReader::entries() const { return archive_->entries; }

std::string TarReader::read(size_t index) const {
  if (index >= entries().size()) {
    throw IndexError("The tar archive has " + std::to_string(entries().size()) +
                     " files, asked for was number " + std::to_string(index) + ".");
  }
  return archive_->bytes.read(entries()[index].offset, entries()[index].size);
}

}  // namespace antler::io
