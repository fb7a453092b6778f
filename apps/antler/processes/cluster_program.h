#pragma once

#include <string>

namespace antler::cli {

/// The path of a program of the cluster package: beside this program or on the PATH. Throws
/// NotFoundError, which names `command`, if it does not exist.
std::string cluster_program(const std::string& name, const std::string& command);

}  // namespace antler::cli
