#include "antler/data/utils/get_file.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "antler/base/error.h"
#include "antler/base/file.h"
#include "antler/base/logging.h"
#include "antler/base/progbar.h"
#include "antler/io/tar.h"
#include "antler/io/zip.h"
#include "base/digest.h"
#include "base/environment.h"
#include "data/http.h"

namespace antler::utils {
namespace {

namespace fs = std::filesystem;

/// Replaces a leading "~" with the home directory.
std::string expand_home(const std::string& path) {
  if (path != "~" && !path.starts_with("~/")) return path;
  return environment("HOME").value_or("") + path.substr(1);
}

fs::path cache_folder(const GetFileOptions& options) {
  std::string base = options.cache_dir;
  if (base.empty()) base = environment("KERAS_HOME").value_or("~/.keras");
  base = expand_home(base);
  std::error_code error;
  if (options.cache_dir.empty()) fs::create_directories(base, error);
  if (access(base.c_str(), W_OK) != 0) {
    base = (fs::is_directory("/tmp") ? fs::path("/tmp") : fs::temp_directory_path()) / ".keras";
  }
  fs::path folder = fs::path(base) / options.cache_subdir;
  fs::create_directories(folder, error);
  if (error) throw IOError("Cannot create the folder {}: {}", folder.string(), error.message());
  return folder;
}

/// The last component of a URL's path.
std::string file_name_of(const std::string& origin) {
  std::string path = origin.substr(0, origin.find_first_of("?#"));
  const size_t scheme = path.find("://");
  if (scheme != std::string::npos) {
    const size_t slash = path.find('/', scheme + 3);
    path = slash == std::string::npos ? "" : path.substr(slash);
  }
  std::string name = path.substr(path.rfind('/') + 1);
  if (name.empty()) {
    throw ValueError(
        "Can't parse the file name from the origin provided: '{}'. Please specify the `fname` "
        "argument.",
        origin);
  }
  return name;
}

struct ExpectedHash {
  std::string algorithm;
  std::string hash;  ///< empty: not checked
};

ExpectedHash expected_hash(const GetFileOptions& options) {
  if (options.file_hash.empty()) return {"md5", options.md5_hash};
  const bool long_hash = options.hash_algorithm == "auto" && options.file_hash.size() == 64;
  const bool sha = options.hash_algorithm == "sha256" || long_hash;
  return {sha ? "sha256" : "md5", options.file_hash};
}

bool has_hash(const std::string& path, const ExpectedHash& expected) {
  if (expected.hash.empty()) return true;
  const std::string bytes = read_file(path);
  return (expected.algorithm == "sha256" ? sha256(bytes) : md5(bytes)) == expected.hash;
}

void download_with_bar(const std::string& origin, const std::string& path) {
  logging::print("Downloading data from " + origin + "\n");
  std::unique_ptr<Progbar> bar;
  bool finished = false;
  data::download_file(origin, path, [&](int64_t now, int64_t total) {
    if (bar == nullptr) bar = std::make_unique<Progbar>(total);
    if (finished) return;
    bar->update(now, {});
    finished = total >= 0 && now >= total;
  });
}

/// The path of an archive entry; nullopt, with a warning, if its name points outside the folder.
std::optional<fs::path> entry_path(const fs::path& folder, const std::string& name) {
  const fs::path relative = fs::path(name).lexically_normal();
  if (relative.is_absolute() || relative.empty() || *relative.begin() == "..") {
    logging::warning("Skipping invalid path during archive extraction: '" + name + "'.");
    return std::nullopt;
  }
  return folder / relative;
}

void write_entry(const fs::path& folder, const std::string& name, const std::string& bytes) {
  const std::optional<fs::path> path = entry_path(folder, name);
  if (!path) return;
  fs::create_directories(path->parent_path());
  write_file_atomically(path->string(), bytes);
}

/// nullopt if the file is not an archive of this format.
template <class Reader>
std::optional<Reader> open_archive(const std::string& path) {
  try {
    return Reader::open(path);
  } catch (const IOError&) {
    return std::nullopt;
  }
}

bool extract_tar(const std::string& path, const fs::path& folder) {
  const auto archive = open_archive<io::TarReader>(path);
  if (!archive) return false;
  fs::create_directories(folder);
  for (size_t i = 0; i < archive->entries().size(); ++i) {
    write_entry(folder, archive->entries()[i].name, archive->read(i));
  }
  return true;
}

bool extract_zip(const std::string& path, const fs::path& folder) {
  const auto archive = open_archive<io::ZipReader>(path);
  if (!archive) return false;
  fs::create_directories(folder);
  for (const std::string& name : archive->names()) {
    if (!name.ends_with('/')) {
      write_entry(folder, name, archive->read(name));
    } else if (const auto subfolder = entry_path(folder, name)) {
      fs::create_directories(*subfolder);
    }
  }
  return true;
}

void extract_archive(const GetFileOptions& options, const std::string& path,
                     const fs::path& folder) {
  const std::string format = options.untar ? "tar" : options.archive_format.value_or("");
  if (format != "auto" && format != "tar" && format != "zip" && !format.empty()) {
    throw ValueError(
        "get_file: `archive_format` must be 'auto', 'tar', 'zip' or nothing. Received: "
        "archive_format={}",
        format);
  }
  if ((format == "auto" || format == "tar") && extract_tar(path, folder)) return;
  if ((format == "auto" || format == "zip") && extract_zip(path, folder)) return;
  logging::warning("Could not extract archive '" + path + "'.");
}

}  // namespace

std::string get_file(const GetFileOptions& options) {
  if (options.origin.empty()) {
    throw ValueError("Please specify the \"origin\" argument (URL of the file to download).");
  }
  if (options.fname.find('/') != std::string::npos) {
    throw ValueError(
        "Paths are no longer accepted as the `fname` argument. To specify the file's parent "
        "directory, use the `cache_dir` argument. Received: fname={}",
        options.fname);
  }
  const fs::path folder = cache_folder(options);
  const std::string name = options.fname.empty() ? file_name_of(options.origin) : options.fname;
  const bool unpack = options.extract || options.untar;
  const size_t dot = options.fname.empty() ? std::string::npos : name.find('.');
  const bool has_extension = dot != std::string::npos;
  std::string target = (folder / (unpack && !has_extension ? name + "_archive" : name)).string();
  const ExpectedHash expected = expected_hash(options);
  bool fresh = options.force_download || !fs::exists(target);
  if (!fresh && !has_hash(target, expected)) {
    logging::print(
        format("A local file was found, but it seems to be incomplete or outdated because the {} "
               "file hash does not match the original value of {} so we will re-download the "
               "data.\n",
               expected.algorithm, expected.hash));
    fresh = true;
  }
  if (fresh) {
    download_with_bar(options.origin, target);
    if (!has_hash(target, expected)) {
      throw ValueError(
          "Incomplete or corrupted file detected. The {} file hash does not match the provided "
          "value of {}.",
          expected.algorithm, expected.hash);
    }
  }
  if (!unpack) return target;
  const fs::path extracted = folder / (has_extension ? name.substr(0, dot) + "_extracted" : name);
  extract_archive(options, target, extracted);
  return extracted.string();
}

std::string get_file(const std::string& fname, GetFileOptions options) {
  if (!options.fname.empty()) {
    throw TypeError("get_file: got multiple values for argument `fname`: by position and by name.");
  }
  options.fname = fname;
  return get_file(options);
}

}  // namespace antler::utils
