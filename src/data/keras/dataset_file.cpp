#include "data/keras/dataset_file.h"

#include <filesystem>

#include "antler/base/error.h"
#include "antler/data/utils/get_file.h"
#include "base/environment.h"

namespace antler::datasets {
namespace {

namespace fs = std::filesystem;

/// The path of the file below $ANTLER_DATASETS.
fs::path own_path(const DatasetFile& file) {
  return fs::path(file.folder) / (file.name_elsewhere.empty() ? file.name : file.name_elsewhere);
}

}  // namespace

std::string own_dataset_path(const DatasetFile& file) {
  const auto own = environment("ANTLER_DATASETS");
  if (!own) return "";
  const fs::path path = *own / own_path(file);
  std::error_code error;
  return fs::is_regular_file(path, error) ? path.string() : "";
}

std::string dataset_path(const DatasetFile& file) {
  if (std::string own = own_dataset_path(file); !own.empty()) return own;
  const fs::path folder = fs::path("datasets") / file.folder;
  try {
    return utils::get_file({.fname = file.name,
                            .origin = file.origin,
                            .file_hash = file.hash,
                            .cache_subdir = folder.string()});
  } catch (const Error& error) {
    const fs::path cached = environment("KERAS_HOME").value_or("~/.keras") / folder / file.name;
    throw NotFoundError(
        "The data set's file could not be downloaded: {}\nGet {} and put it there: {}\nor into the "
        "folder that the environment variable ANTLER_DATASETS names, as {}",
        error.what(), file.origin, cached.string(), own_path(file).string());
  }
}

void check_test_split(double test_split) {
  if (test_split >= 0 && test_split < 1) return;
  throw ValueError("`test_split` must be at least 0 and below 1. Received: test_split={}",
                   test_split);
}

}  // namespace antler::datasets
