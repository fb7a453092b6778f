#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace antler::cli {

/// Finds out before the work whether a file can be written at its end: the folder is there and may
/// be written to, and the name ends as one of `endings` (any where none is given). Does nothing for
/// an empty path. Throws ValueError, NotFoundError, IOError.
void check_output(const std::string& path, std::initializer_list<const char*> endings = {});

/// Throws IOError where less than `bytes` are free for a file `path`. Does nothing for an empty
/// path, or where the file system does not tell.
void check_space(const std::string& path, int64_t bytes);

/// Results of long work: calls `write` with `path`. Where that fails, with a file of a similar name
/// in the first of the folders `others` (empty ones are skipped), the one for temporary files, the
/// working directory and the home of the user that takes it, and says on stderr where it lies.
/// Gives the path that was written; throws the first error where none was.
std::string write_or_keep(const std::string& path, const std::vector<std::string>& others,
                          const std::function<void(const std::string&)>& write);

/// Likewise for what has no place of its own: a file named after `path` in one of those folders,
/// its name ending in "-kept" before the extension. Nothing where none could be written.
std::optional<std::string> keep_beside(const std::string& path,
                                       const std::vector<std::string>& others,
                                       const std::function<void(const std::string&)>& write);

}  // namespace antler::cli
