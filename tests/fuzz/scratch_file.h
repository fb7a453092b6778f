#pragma once

#include <string>
#include <string_view>

namespace antler::fuzz {

/// A file in memory, for readers that take only a path.
class ScratchFile {
 public:
  explicit ScratchFile(std::string_view bytes);
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile();
  const std::string& path() const { return path_; }

 private:
  int file_ = -1;
  std::string path_;
};

}  // namespace antler::fuzz
