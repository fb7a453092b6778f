#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace antler::cli {

/// Checks before a long task that its result can be written: the folder exists and is writable, and
/// the name ends in one of `endings` (if any are given). Does nothing for an empty path. Throws
/// ValueError, NotFoundError, IOError.
void check_output(const std::string& path, std::initializer_list<const char*> endings = {});

/// Throws IOError if fewer than `bytes` are free for the file `path`. Does nothing for an empty
/// path or if the free space is unknown.
void check_space(const std::string& path, int64_t bytes);

/// Saves the result of a long task with `write(path)`. If that fails, tries keep_beside() and
/// prints the new path on stderr. Returns the path that was written. Throws the first error if all
/// fail.
std::string write_or_keep(const std::string& path, const std::vector<std::string>& others,
                          const std::function<void(const std::string&)>& write);

/// Calls `write` with the name of `path` plus "-kept" in the first folder where that works: the
/// folders `others` (empty names are skipped), the folder of temporary files, the working
/// directory, the home directory. Returns the file's path; nullopt if all fail.
std::optional<std::string> keep_beside(const std::string& path,
                                       const std::vector<std::string>& others,
                                       const std::function<void(const std::string&)>& write);

}  // namespace antler::cli
