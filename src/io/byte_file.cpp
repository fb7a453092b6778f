#include "io/byte_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "antler/base/error.h"

namespace antler::io {

ByteFile ByteFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    if (errno == ENOENT || errno == ENOTDIR) throw NotFoundError("There is no file '{}'.", path);
    throw IOError("Cannot open '{}': {}.", path, std::strerror(errno));
  }
  ByteFile file("'" + path + "'", descriptor);
  struct stat status {};
  if (::fstat(file.descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    throw IOError("Cannot read '{}': it is not a regular file.", path);
  }
  file.size_ = static_cast<uint64_t>(status.st_size);
  return file;
}

ByteFile::ByteFile(ByteFile&& other) noexcept
    : name_(std::move(other.name_)),
      bytes_(std::move(other.bytes_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(std::exchange(other.size_, 0)) {}

ByteFile::~ByteFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void ByteFile::check_range(uint64_t offset, uint64_t count) const {
  if (offset > size_ || count > size_ - offset) throw IOError("{} is truncated.", name_);
}

std::string ByteFile::read(uint64_t offset, uint64_t count) const {
  check_range(offset, count);
  std::string bytes(count, '\0');
  read_into(bytes.data(), offset, count);
  return bytes;
}

void ByteFile::read_into(void* to, uint64_t offset, uint64_t count) const {
  check_range(offset, count);
  if (descriptor_ < 0) {
    if (count > 0) std::memcpy(to, bytes_.data() + offset, count);
    return;
  }
  for (uint64_t done = 0; done < count;) {
    const ssize_t n = ::pread(descriptor_, static_cast<char*>(to) + done, count - done,
                              static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw IOError("Cannot read {}: {}.", name_, std::strerror(errno));
    if (n == 0) throw IOError("{} was truncated while it was read.", name_);
    done += static_cast<uint64_t>(n);
  }
}

}  // namespace antler::io
