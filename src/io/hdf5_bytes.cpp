#include "io/hdf5_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "antler/base/error.h"

namespace antler::io::hdf5 {

std::shared_ptr<const FileBytes> FileBytes::open(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) throw NotFoundError("There is no file '" + path + "'.");
  if (file < 0) throw IOError("Cannot open '" + path + "': " + std::strerror(errno) + ".");
  struct stat status {};
  const bool regular = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  std::shared_ptr<const FileBytes> bytes(
      new FileBytes("'" + path + "'", "", file, static_cast<uint64_t>(status.st_size)));
  if (!regular) throw IOError("Cannot read '" + path + "' as HDF5: it is no regular file.");
  return bytes;
}

std::shared_ptr<const FileBytes> FileBytes::of(std::string_view bytes, std::string name) {
  return std::shared_ptr<const FileBytes>(
      new FileBytes(std::move(name), std::string(bytes), -1, bytes.size()));
}

FileBytes::~FileBytes() {
  if (file_ >= 0) ::close(file_);
}

std::string FileBytes::read(uint64_t at, uint64_t count) const {
  // Before memory is taken.
  if (at > size_ || count > size_ - at) damaged("it is cut off, or has an impossible address");
  std::string part(count, '\0');
  read_into(part.data(), at, count);
  return part;
}

void FileBytes::read_into(void* to, uint64_t at, uint64_t count) const {
  if (at > size_ || count > size_ - at) damaged("it is cut off, or has an impossible address");
  if (count == 0) return;
  if (file_ < 0) {
    std::memcpy(to, bytes_.data() + at, count);
    return;
  }
  for (uint64_t done = 0; done < count;) {
    const ssize_t n =
        ::pread(file_, static_cast<char*>(to) + done, count - done, static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw IOError("Cannot read " + name_ + ": " + std::strerror(errno) + ".");
    if (n == 0) damaged("it became shorter while it was read");
    done += static_cast<uint64_t>(n);
  }
}

void FileBytes::damaged(const std::string& why) const {
  throw IOError(name_ + " cannot be read as HDF5: " + why + ".");
}

void FileBytes::unknown(const std::string& what) const {
  throw ValueError(name_ + " has " + what + ", which is not read.");
}

std::string_view Cursor::take(uint64_t count) {
  if (count > rest_.size()) file_->damaged("a part of it is cut off");
  const std::string_view part = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return part;
}

uint64_t Cursor::number(uint64_t bytes) {
  const std::string_view part = take(bytes);
  uint64_t value = 0;
  for (size_t i = part.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(part[i]);
  return value;
}

}  // namespace antler::io::hdf5
