#include "fuzz/scratch_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>

namespace antler::fuzz {

ScratchFile::ScratchFile(std::string_view bytes) : file_(memfd_create("antler_fuzz", MFD_CLOEXEC)) {
  if (file_ < 0) throw std::runtime_error("memfd_create failed");
  while (!bytes.empty()) {
    const ssize_t n = write(file_, bytes.data(), bytes.size());
    if (n <= 0) throw std::runtime_error("writing to memory failed");
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  path_ = "/proc/self/fd/" + std::to_string(file_);
}

ScratchFile::~ScratchFile() {
  if (file_ >= 0) close(file_);
}

}  // namespace antler::fuzz
