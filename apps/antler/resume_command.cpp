#include "resume_command.h"

#include "command.h"

namespace antler::cli {

std::string resume_command() {
  std::string text = "antler";
  bool resumes = false;
  for (const std::string& argument : arguments()) {
    const bool plain = !argument.empty() &&
                       argument.find_first_of(" \t\n'\"\\$&;|<>*?()[]{}!#~`") == std::string::npos;
    std::string quoted;
    for (const char c : argument) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += " " + (plain ? argument : "'" + quoted + "'");
    resumes = resumes || argument == "--resume";
  }
  return resumes ? text : text + " --resume";
}

}  // namespace antler::cli
