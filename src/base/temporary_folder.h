#pragma once

#include <string>

namespace antler {

/// Makes a new folder "PREFIX_XXXXXX" in the folder for temporary files; returns its path. Throws
/// IOError.
std::string make_temporary_folder(const std::string& prefix);

}  // namespace antler
