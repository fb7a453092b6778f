#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace antler::test {

/// How many seconds a test waits for a process to do what is expected.
constexpr double kPatience = 120;

/// "127.0.0.1:port" for `count` currently free ports.
std::vector<std::string> free_addresses(size_t count);

/// A child process whose stdout and stderr are recorded. The destructor kills it.
class Process {
 public:
  Process(const std::vector<std::string>& arguments,
          const std::vector<std::pair<std::string, std::string>>& environment = {});
  ~Process();
  Process(Process&& other) noexcept;
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  Process& operator=(Process&&) = delete;

  /// Reads output until it has `text`; false at its end or after `seconds`.
  bool wait_for(const std::string& text, double seconds);
  /// Reads all output and waits for the end of the process, which is killed after `seconds`.
  /// Returns the exit status, 128 + the signal that ended it, or -1 after `seconds`.
  int wait(double seconds);
  /// After SIGSTOP, waits until the process has stopped.
  void kill(int signal) const;
  const std::string& output() const { return output_; }
  /// The last line.
  std::string last_line() const;

 private:
  /// Reads available output, waiting up to `seconds`; false at the end of output.
  bool read_some(double seconds);

  pid_t pid_ = -1;
  int pipe_ = -1;
  std::string output_;
};

/// The processes of a group, in the order of their ranks.
std::vector<Process> start_group(const std::string& scenario,
                                 const std::vector<std::string>& addresses, double timeout = 30,
                                 double health = 30);
/// One of them.
Process start_worker(const std::string& scenario, int64_t rank,
                     const std::vector<std::string>& addresses, double timeout = 30,
                     double health = 30,
                     const std::vector<std::pair<std::string, std::string>>& environment = {});

}  // namespace antler::test
