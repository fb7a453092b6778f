#include "data/keras/dataset_file.h"

#include <cstdlib>
#include <filesystem>

#include "antler/base/error.h"
#include "antler/data/utils/get_file.h"

namespace antler::datasets {
namespace {

std::string environment_or_empty(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

}  // namespace

std::string dataset_path(const DatasetFile& file) {
  namespace fs = std::filesystem;
  const std::string& known = file.name_elsewhere.empty() ? file.name : file.name_elsewhere;
  const std::string own = environment_or_empty("ANTLER_DATASETS");
  if (!own.empty()) {
    const fs::path path = fs::path(own) / file.folder / known;
    std::error_code error;
    if (fs::is_regular_file(path, error)) return path.string();
  }
  const fs::path folder = fs::path("datasets") / file.folder;
  try {
    return utils::get_file({.fname = file.name,
                            .origin = file.origin,
                            .file_hash = file.hash,
                            .cache_subdir = folder.string()});
  } catch (const Error& error) {
    const std::string home = environment_or_empty("KERAS_HOME");
    const fs::path cached = fs::path(home.empty() ? "~/.keras" : home) / folder / file.name;
    throw NotFoundError(
        "The data set's file could not be downloaded: {}\nGet {} and put it there: {}\nor into the "
        "folder that the environment variable ANTLER_DATASETS names, as {}",
        error.what(), file.origin, cached.string(), (fs::path(file.folder) / known).string());
  }
}

}  // namespace antler::datasets
