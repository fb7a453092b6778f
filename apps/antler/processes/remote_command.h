#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace antler::cli {

/// Quotes a string as one word for a POSIX shell.
std::string shell_quote(std::string_view text);

struct RemoteProgram {
  /// "[user@]host", as ssh takes it.
  std::string host;
  /// The working directory on the host.
  std::string folder;
  std::vector<std::pair<std::string, std::string>> environment;
  /// OMP_NUM_THREADS; 0: the host's cores divided by `workers`, unless the variable is set there.
  int64_t threads = 0;
  int64_t workers = 1;
  /// Seconds between SIGTERM and SIGKILL.
  int64_t grace = 10;
  std::vector<std::string> program;
};

/// The ssh command that runs a program on another host. When its standard input is closed, or the
/// connection or this machine fails, the program and everything it started get SIGTERM, and SIGKILL
/// after the grace time. It needs a login by key, because nobody can type a password.
std::vector<std::string> remote_command(const RemoteProgram& remote);

}  // namespace antler::cli
