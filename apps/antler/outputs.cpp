#include "outputs.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "antler/base/error.h"

namespace antler::cli {

void check_output(const std::string& path, std::initializer_list<const char*> endings) {
  namespace fs = std::filesystem;
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

}  // namespace antler::cli
