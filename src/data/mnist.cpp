#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/logging.h"
#include "antler/data/datasets.h"
#include "antler/io/gzip.h"
#include "antler/io/idx.h"
#include "base/digest.h"
#include "base/environment.h"
#include "data/http.h"
#include "data/image_split.h"
#include "data/mnist_arrays.h"

namespace antler::data {
namespace {

namespace fs = std::filesystem;

struct File {
  const char* name;
  const char* sha256;  ///< of the uncompressed content
};
constexpr std::array<File, 4> kFiles = {{
    {"train-images-idx3-ubyte", "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
    {"train-labels-idx1-ubyte", "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
    {"t10k-images-idx3-ubyte", "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
    {"t10k-labels-idx1-ubyte", "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
}};
constexpr std::array<const char*, 2> kMirrors = {
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
};

std::optional<fs::path> cache_folder() {
  if (const auto base = environment("XDG_CACHE_HOME")) return fs::path(*base) / "antler" / "mnist";
  if (const auto home = environment("HOME")) return fs::path(*home) / ".cache" / "antler" / "mnist";
  return std::nullopt;
}

/// Folders to search; the last one is for downloads.
std::vector<fs::path> search_folders(const std::string& directory) {
  if (!directory.empty()) return {directory};
  std::vector<fs::path> result;
  if (const auto base = environment("ANTLER_DATASETS")) result = {fs::path(*base) / "mnist", *base};
  if (const auto folder = cache_folder()) result.push_back(*folder);
  return result;
}

/// The path of a file, plain or compressed; empty if there is none.
fs::path find(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  for (const char* extension : {"", ".gz"}) {
    fs::path path = folder / (name + extension);
    if (fs::is_regular_file(path, ignored)) return path;
  }
  return {};
}

bool has_all(const fs::path& folder) {
  for (const File& file : kFiles) {
    if (find(folder, file.name).empty()) return false;
  }
  return true;
}

/// Downloads a file from the first mirror that has it. Throws IOError with the error of each
/// mirror.
void fetch(const File& file, const fs::path& folder) {
  const std::string name = std::string(file.name) + ".gz";
  std::string reasons;
  for (const char* mirror : kMirrors) {
    try {
      const std::string bytes = download(mirror + name);
      if (sha256(io::gunzip(bytes)) == file.sha256) {
        return write_file_atomically((folder / name).string(), bytes);
      }
      reasons += format("\n  {}{}: the SHA-256 differs from that of the original.", mirror, name);
    } catch (const IOError& error) {
      reasons += std::string("\n  ") + error.what();
    }
  }
  throw IOError(reasons);
}

/// Downloads missing files. Returns the reason of a failure, or "" on success.
std::string fetch_missing(const fs::path& folder) {
  try {
    fs::create_directories(folder);
    for (const File& file : kFiles) {
      if (!find(folder, file.name).empty()) continue;
      logging::print(format("Downloading {} to {}\n", file.name, folder.string()));
      fetch(file, folder);
    }
  } catch (const Error& error) {
    return error.what();
  } catch (const fs::filesystem_error& error) {
    return std::string("\n  ") + error.what();
  }
  return "";
}

fs::path locate(const MnistOptions& options) {
  const std::vector<fs::path> folders = search_folders(options.directory);
  std::string looked;
  for (const fs::path& folder : folders) {
    if (has_all(folder)) return folder;
    looked += "\n  " + folder.string();
  }
  std::string message = "The MNIST files were not found. Looked in:" +
                        (looked.empty() ? "\n  nowhere: HOME is not set" : looked);
  if (options.download && can_download() && !folders.empty()) {
    const std::string failure = fetch_missing(folders.back());
    if (failure.empty()) return folders.back();
    message += "\nThey could not be downloaded:" + failure;
  } else if (options.download && !can_download()) {
    message += "\nThis library was built without libcurl and cannot download them.";
  }
  message +=
      "\nPut these files into one of the folders, or set .directory or the environment variable "
      "ANTLER_DATASETS to their folder:";
  for (const File& file : kFiles) message += std::string("\n  ") + file.name + "[.gz]";
  throw NotFoundError("{}\nThey are available at {} and {}", message, kMirrors[0], kMirrors[1]);
}

TrainTest load_arrays(const fs::path& folder) {
  const auto load = [&](const File& file) {
    return io::load_idx(find(folder, file.name).string());
  };
  return {{load(kFiles[0]), load(kFiles[1])}, {load(kFiles[2]), load(kFiles[3])}};
}

}  // namespace

std::optional<TrainTest> mnist_arrays() {
  for (const fs::path& folder : search_folders("")) {
    if (has_all(folder)) return load_arrays(folder);
  }
  return std::nullopt;
}

TrainTest mnist(const MnistOptions& options) {
  const fs::path folder = locate(options);
  const TrainTest arrays = load_arrays(folder);
  const auto split = [&](const Split& part) {
    constexpr float kWhite = 255;
    return image_split(part.x, part.y, kWhite, "MNIST in '" + folder.string() + "'");
  };
  return {split(arrays.train), split(arrays.test)};
}

}  // namespace antler::data
