#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace antler::cli {

/// A word of a POSIX shell that stands for any text.
std::string shell_quote(std::string_view text);

struct RemoteProgram {
  /// "[user@]host", as ssh takes it.
  std::string host;
  /// The working directory there.
  std::string folder;
  std::vector<std::pair<std::string, std::string>> environment;
  /// OMP_NUM_THREADS; 0: the host's cores divided by `workers`, unless it is set there.
  int64_t threads = 0;
  int64_t workers = 1;
  /// Seconds that the program has to end after SIGTERM.
  int64_t grace = 10;
  std::vector<std::string> program;
};

/// The ssh command that runs a program on another host. When its standard input ends, the program
/// and all that it started there get SIGTERM, and after the grace time SIGKILL; the same if the
/// connection or this machine breaks down. Needs keys, because nobody can type a password.
std::vector<std::string> remote_command(const RemoteProgram& remote);

}  // namespace antler::cli
