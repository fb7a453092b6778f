#pragma once

#include <optional>
#include <string>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/string_like.h"
#include "antler/core/keyword.h"

namespace antler::utils {

/// Arguments of get_file, in Keras's order.
struct GetFileOptions {
  std::string fname = {};                 ///< name in the cache; empty: the file name in `origin`
  std::string origin = {};                ///< the URL
  bool untar = false;                     ///< older spelling of `extract`, for tar only
  std::string md5_hash = {};              ///< older spelling of `file_hash`
  std::string file_hash = {};             ///< hexadecimal; empty: not compared
  std::string cache_subdir = "datasets";  ///< below the cache, or an absolute path
  std::string hash_algorithm = "auto";    ///< "md5", "sha256", or "auto": by the hash's length
  bool extract = false;                   ///< unpack a tar (plain or .gz) or zip archive
  std::optional<std::string> archive_format = "auto";  ///< "tar", "zip" or "auto"; nullopt: none
  std::string cache_dir = {};   ///< empty: $KERAS_HOME, else ~/.keras; /tmp/.keras if not writable
  bool force_download = false;  ///< download even if the file is cached
};

/// Keras 3's keras.utils.get_file: returns the path of a cached file, which is downloaded only if
/// it is missing or its hash does not match.
///
///     const std::string path = utils::get_file({.origin = "https://example.org/a.zip",
///                                               .extract = true});
///
/// With `extract`, returns the folder that the archive was unpacked into. If `fname` has an
/// extension, the folder is `fname` without it plus "_extracted"; otherwise the folder has the
/// file's name, and the archive is stored next to it as NAME_archive. Links, and entries whose
/// names lead out of the folder, are skipped with a warning.
///
/// Throws ValueError for an empty `origin`, an `fname` with a path, and a hash mismatch; IOError if
/// the file cannot be downloaded, written or unpacked.
std::string get_file(const GetFileOptions& options);
ANTLER_KEYWORD_FUNCTION(get_file, GetFileOptions)
/// The same with `fname` by position. Throws TypeError if it is also given by name.
std::string get_file(const std::string& fname, GetFileOptions options);
ANTLER_KEYWORD_FUNCTION(get_file, GetFileOptions, const std::string&)
/// The same with `origin` by position, too.
template <StringLike T>
std::string get_file(const std::string& fname, const T& origin, GetFileOptions options = {}) {
  if (!options.origin.empty()) {
    throw TypeError(
        "get_file: got multiple values for argument `origin`: by position and by name.");
  }
  options.origin = origin;
  return get_file(fname, std::move(options));
}

}  // namespace antler::utils
