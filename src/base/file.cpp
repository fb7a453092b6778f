#include "antler/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>
#include <system_error>
#include <vector>

#include "antler/base/error.h"

namespace antler {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const char* what, const std::string& path, int code) {
  const std::string message = format("{} '{}': {}.", what, path, std::strerror(code));
  if (code == ENOENT) throw NotFoundError(message);
  throw IOError(message);
}

/// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags)
      : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0;
  }

 private:
  int fd_;
};

constexpr std::string_view kTemporary = ".tmp-";
/// Follows the process id in the name of a temporary file.
constexpr char kAfterProcess = '-';
constexpr auto kLongestPause = std::chrono::minutes(10);  // between two writes to a file

/// Unique among the processes, threads and machines that share the folder.
std::string unique_suffix() {
  static std::atomic<uint32_t> counter{0};
  std::random_device random;
  return format("{}{}{}{}-{:08x}", kTemporary, ::getpid(), kAfterProcess, counter.fetch_add(1),
                random());
}

/// Whether nobody writes to a temporary file any more. `process` is the part of its name that
/// starts with the id of the writing process.
bool is_stale(const fs::path& file, std::string_view process) {
  pid_t id = 0;
  const char* const end = process.data() + process.size();
  const auto read = std::from_chars(process.data(), end, id);
  if (read.ec != std::errc() || id <= 0 || read.ptr == end || *read.ptr != kAfterProcess)
    return false;
  if (::kill(id, 0) == 0 || errno != ESRCH) return false;
  std::error_code error;
  const auto written = fs::last_write_time(file, error);
  return !error && fs::file_time_type::clock::now() - written > kLongestPause;
}

}  // namespace

std::string read_file(const std::string& path) {
  Descriptor file(path, O_RDONLY);
  if (file.get() < 0) fail("Cannot open", path, errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail("Cannot read", path, errno);
  std::string bytes;
  // The size is only a hint: a pipe has none, and a file may grow.
  size_t capacity = status.st_size > 0 ? static_cast<size_t>(status.st_size) + 1 : 65536;
  for (size_t used = 0;;) {
    bytes.resize(capacity);
    const ssize_t n = ::read(file.get(), bytes.data() + used, capacity - used);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("Cannot read", path, errno);
    used += static_cast<size_t>(n);
    if (n == 0) {
      bytes.resize(used);
      return bytes;
    }
    if (used == capacity) capacity *= 2;
  }
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  AtomicFile target(path);
  const std::string& name = target.temporary_path();
  Descriptor file(name, O_WRONLY | O_CREAT | O_EXCL);
  if (file.get() < 0) fail("Cannot create", name, errno);
  while (!bytes.empty()) {
    const ssize_t n = ::write(file.get(), bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("Cannot write", name, errno);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  if (!file.close()) fail("Cannot write", name, errno);
  target.commit();
}

AtomicFile::AtomicFile(const std::string& path) : path_(path) {
  std::error_code error;
  if (fs::is_symlink(path_, error)) {
    path_ = fs::weakly_canonical(path_, error).string();
    if (error) throw IOError("Cannot write '{}': {}.", path, error.message());
  }
  const fs::file_status status = fs::status(path_, error);  // not_found for a new file
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw IOError("Cannot write '{}': it exists and is not a regular file.", path);
  }
  const fs::path folder = fs::path(path_).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, error)) {
    throw NotFoundError("Cannot write '{}': there is no folder '{}'.", path, folder.string());
  }
  temporary_ = path_ + unique_suffix();
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void AtomicFile::commit() {
  struct stat old {};
  if (::stat(path_.c_str(), &old) == 0 && ::chmod(temporary_.c_str(), old.st_mode & 07777) != 0) {
    fail("Cannot write", temporary_, errno);
  }
  Descriptor file(temporary_, O_RDONLY);
  if (file.get() < 0) fail("Cannot open", temporary_, errno);
  // Some file systems cannot flush. The rename is still atomic for readers.
  if (::fsync(file.get()) != 0 && errno != EINVAL && errno != ENOTSUP) {
    fail("Cannot write", temporary_, errno);
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("Cannot write", path_, errno);
  temporary_.clear();
}

void remove_stale_temporaries(const std::string& folder,
                              const std::function<bool(std::string_view name)>& is_own) {
  std::error_code ignored;
  std::vector<fs::path> stale;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const size_t at = name.rfind(kTemporary);
    if (at == std::string::npos || !is_own(std::string_view(name).substr(0, at))) continue;
    if (is_stale(entry.path(), std::string_view(name).substr(at + kTemporary.size())))
      stale.push_back(entry.path());
  }
  for (const fs::path& path : stale) fs::remove(path, ignored);
}

}  // namespace antler
