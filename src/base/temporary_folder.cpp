#include "base/temporary_folder.h"

#include <filesystem>

#include <stdlib.h>

#include "antler/base/error.h"

namespace antler {

std::string make_temporary_folder(const std::string& prefix) {
  std::error_code error;
  std::string path = (std::filesystem::temp_directory_path(error) / (prefix + "_XXXXXX")).string();
  if (error || ::mkdtemp(path.data()) == nullptr)
    throw IOError("Cannot create a temporary folder: {}", path);
  return path;
}

}  // namespace antler
