#pragma once

#include <string>

namespace antler::cli {

/// The command line of this program, quoted for a shell.
std::string command_line();
/// The same, with --resume.
std::string resume_command();

}  // namespace antler::cli
