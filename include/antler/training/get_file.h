#pragma once

#include <optional>
#include <string>

namespace antler::utils {

/// Arguments of get_file, Keras's, in its order.
struct GetFileOptions {
  std::string fname = {};                 ///< name in the cache; empty: that in `origin`
  std::string origin = {};                ///< the URL
  bool untar = false;                     ///< the older `extract`, for tar alone
  std::string md5_hash = {};              ///< the older `file_hash`
  std::string file_hash = {};             ///< hexadecimal; empty: not compared
  std::string cache_subdir = "datasets";  ///< below the cache, or an absolute path
  std::string hash_algorithm = "auto";    ///< "md5", "sha256", or by the length of the hash
  bool extract = false;                   ///< unpacks a tar (plain or .gz) or zip archive
  std::optional<std::string> archive_format = "auto";  ///< "tar", "zip", or nothing for none
  std::string cache_dir = {};   ///< empty: $KERAS_HOME, else ~/.keras; /tmp/.keras if not writable
  bool force_download = false;  ///< even where the cache has the file
};

/// The path of a file in the cache, which is downloaded where it is not there, or not as the hash
/// says (Keras 3's keras.utils.get_file). With `extract` that of the folder of what was in the
/// archive: `fname` without its ending and with "_extracted", where a `fname` with an ending was
/// given, else the name itself, the archive beside it as NAME_archive. Links in archives, and names
/// that lead out of the folder, are passed over with a warning. Where the file is there, the
/// network is not used.
///
///     const std::string path = utils::get_file({.origin = "https://example.org/a.zip",
///                                               .extract = true});
///
/// Throws ValueError for no `origin`, a `fname` with folders, and a hash that does not fit; IOError
/// for what cannot be got, written or unpacked.
std::string get_file(const GetFileOptions& options);

}  // namespace antler::utils
