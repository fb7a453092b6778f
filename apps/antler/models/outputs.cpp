#include "models/outputs.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "antler/base/error.h"
#include "base/strings.h"

namespace antler::cli {

namespace fs = std::filesystem;

void check_output(const std::string& path, std::initializer_list<const char*> endings) {
  if (path.empty()) return;
  const bool known = std::any_of(endings.begin(), endings.end(),
                                 [&](const char* ending) { return path.ends_with(ending); });
  if (endings.size() > 0 && !known) {
    throw ValueError("Cannot write '{}': its name must end in one of {}.", path, join(endings));
  }
  if (fs::is_directory(path)) throw IOError("Cannot write '{}': it is a folder.", path);
  const std::string parent = fs::path(path).parent_path().string();
  const std::string folder = parent.empty() ? "." : parent;
  if (!fs::is_directory(folder)) {
    throw NotFoundError("Cannot write '{}': there is no folder '{}'.", path, folder);
  }
  // Files are replaced, so the permissions of an existing file do not matter.
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw IOError("Cannot write '{}': {}.", path, std::strerror(errno));
  }
}

void check_space(const std::string& path, int64_t bytes) {
  if (path.empty()) return;
  std::error_code error;
  const std::string parent = fs::path(path).parent_path().string();
  const fs::space_info space = fs::space(parent.empty() ? "." : parent, error);
  if (error || space.available >= static_cast<uintmax_t>(bytes)) return;
  throw IOError("Cannot write '{}': it needs at least {} bytes, but only {} are free.", path, bytes,
                space.available);
}

std::optional<std::string> keep_beside(const std::string& path,
                                       const std::vector<std::string>& others,
                                       const std::function<void(const std::string&)>& write) {
  std::vector<fs::path> folders(others.begin(), others.end());
  std::error_code error;
  folders.push_back(fs::temp_directory_path(error));
  folders.emplace_back(".");
  if (const char* home = std::getenv("HOME")) folders.emplace_back(home);
  const fs::path wanted(path);
  for (const fs::path& folder : folders) {
    if (folder.empty()) continue;
    fs::path kept;
    for (int number = 1; kept.empty() || fs::exists(kept, error); ++number) {
      const std::string suffix = number == 1 ? "-kept" : format("-kept-{}", number);
      kept = folder / (wanted.stem().string() + suffix + wanted.extension().string());
    }
    try {
      write(kept.string());
      return kept.string();
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): try the next folder
    }
  }
  return {};
}

std::string write_or_keep(const std::string& path, const std::vector<std::string>& others,
                          const std::function<void(const std::string&)>& write) {
  try {
    write(path);
    return path;
  } catch (const Error& failure) {
    const std::optional<std::string> kept = keep_beside(path, others, write);
    if (!kept) throw;
    std::fflush(stdout);
    std::fprintf(stderr, "antler: %s: %s\nSaved to %s instead.\n", failure.class_name(),
                 failure.what(), kept->c_str());
    return *kept;
  }
}

}  // namespace antler::cli
