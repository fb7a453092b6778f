#pragma once

#include <unistd.h>
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "antler/base/error.h"

namespace antler::conformance {

/// A new folder that is removed by the destructor.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    namespace fs = std::filesystem;
    std::string pattern = (fs::temp_directory_path() / "antler_conformance_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw IOError("Cannot create a temporary folder.");
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }
  /// Names of the files inside, sorted.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path_)) {
      if (entry.is_regular_file())
        names.push_back(std::filesystem::relative(entry.path(), path_).string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::filesystem::path path_;
};

/// Replaces `{tmp}` in a string by the folder.
inline std::string with_folder(std::string text, const std::filesystem::path& folder) {
  for (size_t at = text.find("{tmp}"); at != std::string::npos; at = text.find("{tmp}")) {
    text.replace(at, 5, folder.string());
  }
  return text;
}

}  // namespace antler::conformance
