#pragma once

#include <string>

namespace antler::cli {

/// The file of a program of the package for clusters: beside this program, else on the PATH. Throws
/// NotFoundError, which names `command`, if there is none.
std::string cluster_program(const std::string& name, const std::string& command);

}  // namespace antler::cli
