#pragma once

#include <string>

namespace antler::cli {

/// The command line of this program, quoted for a shell, with --resume.
std::string resume_command();

}  // namespace antler::cli
