#pragma once

#include <initializer_list>
#include <string>

namespace antler::cli {

/// Finds out before the work whether a file can be written at its end: the folder is there and may
/// be written to, and the name ends as one of `endings` (any where none is given). Does nothing for
/// an empty path. Throws ValueError, NotFoundError, IOError.
void check_output(const std::string& path, std::initializer_list<const char*> endings = {});

}  // namespace antler::cli
