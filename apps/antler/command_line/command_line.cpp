#include "command_line/command_line.h"

#include <algorithm>
#include <vector>

#include "command_line/command.h"

namespace antler::cli {

std::string command_line() {
  std::string text = "antler";
  for (const std::string& argument : arguments()) {
    const bool plain = !argument.empty() &&
                       argument.find_first_of(" \t\n'\"\\$&;|<>*?()[]{}!#~`") == std::string::npos;
    std::string quoted;
    for (const char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += " " + (plain ? argument : "'" + quoted + "'");
  }
  return text;
}

std::string resume_command() {
  const std::vector<std::string>& all = arguments();
  const bool resumes = std::find(all.begin(), all.end(), "--resume") != all.end();
  return command_line() + (resumes ? "" : " --resume");
}

}  // namespace antler::cli
