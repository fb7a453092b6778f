#include "outputs.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "antler/base/error.h"

namespace antler::cli {

namespace fs = std::filesystem;

void check_output(const std::string& path, std::initializer_list<const char*> endings) {
  if (path.empty()) return;
  const bool known = std::any_of(endings.begin(), endings.end(),
                                 [&](const char* ending) { return path.ends_with(ending); });
  if (endings.size() > 0 && !known) {
    std::string all;
    for (const char* ending : endings) all += (all.empty() ? "" : ", ") + std::string(ending);
    throw ValueError("Cannot write '" + path + "': its name must end in one of " + all + ".");
  }
  if (fs::is_directory(path)) throw IOError("Cannot write '" + path + "': it is a folder.");
  const std::string parent = fs::path(path).parent_path().string();
  const std::string folder = parent.empty() ? "." : parent;
  if (!fs::is_directory(folder)) {
    throw NotFoundError("Cannot write '" + path + "': there is no folder '" + folder + "'.");
  }
  // A file is replaced, so that its own rights do not matter.
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw IOError("Cannot write '" + path + "': " + std::strerror(errno) + ".");
  }
}

void check_space(const std::string& path, int64_t bytes) {
  if (path.empty()) return;
  std::error_code error;
  const std::string parent = fs::path(path).parent_path().string();
  const fs::space_info space = fs::space(parent.empty() ? "." : parent, error);
  if (error || space.available >= static_cast<uintmax_t>(bytes)) return;
  throw IOError("Cannot write '" + path + "': it will have at least " + std::to_string(bytes) +
                " bytes, and " + std::to_string(space.available) + " are free there.");
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
      const std::string mark = number == 1 ? "-kept" : "-kept-" + std::to_string(number);
      kept = folder / (wanted.stem().string() + mark + wanted.extension().string());
    }
    try {
      write(kept.string());
      return kept.string();
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the next folder may take it
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
    std::fprintf(stderr, "antler: %s: %s\nIn place of it there is: %s\n", failure.class_name(),
                 failure.what(), kept->c_str());
    return *kept;
  }
}

}  // namespace antler::cli
