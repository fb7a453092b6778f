#include "processes/cluster_program.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "antler/base/error.h"

namespace antler::cli {

std::string cluster_program(const std::string& name, const std::string& command) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  const auto usable = [](const fs::path& file) { return ::access(file.c_str(), X_OK) == 0; };
  if (!error && usable(self.parent_path() / name)) return (self.parent_path() / name).string();
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && usable(fs::path(folder) / name))
      return (fs::path(folder) / name).string();
  }
  throw NotFoundError(
      "`{}` needs the program {}, which is part of antler::cluster. Build Antler with "
      "-DANTLER_BUILD_CLUSTER=ON, or install the package libantler-cluster-dev.",
      command, name);
}

}  // namespace antler::cli
