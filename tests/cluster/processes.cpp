#include "cluster/processes.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <random>
#include <stdexcept>

#include "antler/base/format.h"
#include "base/clock.h"
#include "base/strings.h"

extern char** environ;

namespace antler::test {

std::vector<std::string> free_addresses(size_t count) {
  // Below the system's ephemeral ports, one of which could be taken before a process listens on it.
  std::random_device random;
  std::uniform_int_distribution<int> ports(10000, 32000);
  std::vector<std::string> addresses;
  std::vector<int> sockets;
  for (int attempt = 0; addresses.size() < count; ++attempt) {
    if (attempt > 1000) throw std::runtime_error("no free port");
    const int port = ports(random);
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0)
      addresses.push_back(format("127.0.0.1:{}", port));
    sockets.push_back(descriptor);
  }
  // Closed only now, so that no port is chosen twice.
  for (const int descriptor : sockets) ::close(descriptor);
  return addresses;
}

Process::Process(const std::vector<std::string>& arguments,
                 const std::vector<std::pair<std::string, std::string>>& environment) {
  // Prepared before fork(): the child of a program with threads must not allocate.
  std::vector<std::string> settings;
  for (char** entry = environ; *entry != nullptr; ++entry) settings.emplace_back(*entry);
  for (const auto& [name, value] : environment) settings.push_back(format("{}={}", name, value));
  std::vector<char*> argv;
  std::vector<char*> envp;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.data()));
  for (const std::string& setting : settings) envp.push_back(const_cast<char*>(setting.data()));
  argv.push_back(nullptr);
  envp.push_back(nullptr);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  pid_ = ::fork();
  if (pid_ == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(ends[1], STDERR_FILENO);
    ::execve(argv[0], argv.data(), envp.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pipe_(std::exchange(other.pipe_, -1)),
      output_(std::move(other.output_)) {}

Process::~Process() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  if (pipe_ >= 0) ::close(pipe_);
}

bool Process::read_some(double seconds) {
  pollfd poll{.fd = pipe_, .events = POLLIN, .revents = 0};
  if (::poll(&poll, 1, static_cast<int>(std::max(seconds, 0.0) * 1e3)) <= 0) return true;
  std::array<char, 4096> buffer{};
  const ssize_t count = ::read(pipe_, buffer.data(), buffer.size());
  if (count <= 0) return count < 0 && errno == EINTR;
  output_.append(buffer.data(), static_cast<size_t>(count));
  return true;
}

bool Process::wait_for(const std::string& text, double seconds) {
  const double end = steady_seconds() + seconds;
  while (output_.find(text) == std::string::npos) {
    if (steady_seconds() > end || !read_some(end - steady_seconds())) return false;
  }
  return true;
}

int Process::wait(double seconds) {
  const double end = steady_seconds() + seconds;
  while (read_some(end - steady_seconds())) {
    if (steady_seconds() > end) return -1;
  }
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void Process::kill(int signal) const {
  ::kill(pid_, signal);
  // Until it has stopped, its threads go on.
  if (signal == SIGSTOP) ::waitpid(pid_, nullptr, WUNTRACED);
}

std::string Process::last_line() const {
  std::string text = output_;
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

Process start_worker(const std::string& scenario, int64_t rank,
                     const std::vector<std::string>& addresses, double timeout, double health,
                     const std::vector<std::pair<std::string, std::string>>& environment) {
  return Process({ANTLER_CLUSTER_WORKER, scenario, format("{}", rank), join(addresses, ","),
                  format("{}", timeout), format("{}", health)},
                 environment);
}

std::vector<Process> start_group(const std::string& scenario,
                                 const std::vector<std::string>& addresses, double timeout,
                                 double health) {
  std::vector<Process> group;
  for (size_t rank = 0; rank < addresses.size(); ++rank)
    group.push_back(start_worker(scenario, static_cast<int64_t>(rank), addresses, timeout, health));
  return group;
}

}  // namespace antler::test
