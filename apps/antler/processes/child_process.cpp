#include "processes/child_process.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "antler/base/error.h"

namespace antler::cli {
namespace {

[[noreturn]] void fail(const ProcessPlan& plan, int code) {
  if (code == ENOENT) {
    throw NotFoundError("Cannot start {}: there is no program '{}'.", plan.name,
                        plan.command.front());
  }
  throw RuntimeError("Cannot start {} ('{}'): {}.", plan.name, plan.command.front(),
                     std::strerror(code));
}

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Pipe open_pipe(const ProcessPlan& plan) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail(plan, errno);
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// "NAME=value" for each environment variable of the new process.
std::vector<std::string> environment_of(const ProcessPlan& plan) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string text = *variable;
    bool replaced = false;
    for (const auto& [name, value] : plan.environment) {
      replaced = replaced || text.starts_with(name + "=");
    }
    if (!replaced) all.push_back(text);
  }
  for (const auto& [name, value] : plan.environment) all.push_back(name + "=" + value);
  return all;
}

/// Pointers to the strings and the final null that exec needs.
std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

/// Everything that the new process needs, prepared before fork(), because it must not allocate
/// memory afterwards.
struct Prepared {
  std::vector<std::string> command;
  std::vector<std::string> environment;
  std::vector<char*> arguments = pointers(command);
  std::vector<char*> variables = pointers(environment);
  cpu_set_t cores = {};
  bool pinned = false;
  sigset_t signals = {};
  pid_t parent = ::getpid();
  int in = -1;
  int out = -1;
  int err = -1;
};

/// Runs in the new process. Returns only on failure, with the reason in errno.
void become(Prepared& prepared) {
  ::setpgid(0, 0);
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return;
  if (::getppid() != prepared.parent) ::_exit(1);  // the parent ended before the line above
  if (prepared.pinned && ::sched_setaffinity(0, sizeof prepared.cores, &prepared.cores) != 0)
    return;
  if (::dup2(prepared.in, STDIN_FILENO) < 0 || ::dup2(prepared.out, STDOUT_FILENO) < 0 ||
      ::dup2(prepared.err, STDERR_FILENO) < 0) {
    return;
  }
  ::signal(SIGPIPE, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &prepared.signals, nullptr);
  ::execvpe(prepared.arguments[0], prepared.arguments.data(), prepared.variables.data());
}

/// The errno of a failed start; 0 if the program was started.
int start_error(int fd) {
  int code = 0;
  ssize_t count = 0;
  do {
    count = ::read(fd, &code, sizeof code);
  } while (count < 0 && errno == EINTR);
  return count == static_cast<ssize_t>(sizeof code) ? code : 0;
}

}  // namespace

ChildProcess start_process(const ProcessPlan& plan, const sigset_t& signals) {
  Pipe out = open_pipe(plan);
  Pipe err = open_pipe(plan);
  Pipe report = open_pipe(plan);
  Pipe in;
  if (plan.remote) {
    in = open_pipe(plan);
  } else {
    in.read = Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  }
  Prepared prepared{.command = plan.command, .environment = environment_of(plan)};
  prepared.signals = signals;
  prepared.in = in.read.get();
  prepared.out = out.write.get();
  prepared.err = err.write.get();
  prepared.pinned = !plan.cores.empty();
  for (const int core : plan.cores) CPU_SET(core, &prepared.cores);
  for (const int fd : {out.read.get(), err.read.get()}) ::fcntl(fd, F_SETFL, O_NONBLOCK);

  const pid_t pid = ::fork();
  if (pid < 0) fail(plan, errno);
  if (pid == 0) {
    become(prepared);
    const int code = errno;
    (void)!::write(report.write.get(), &code, sizeof code);
    ::_exit(127);
  }
  ::setpgid(pid, pid);  // also here, so that the group exists whichever process runs first
  report.write.close();
  if (const int code = start_error(report.read.get()); code != 0) fail(plan, code);
  return {.pid = pid,
          .out = std::move(out.read),
          .err = std::move(err.read),
          .in = std::move(in.write)};
}

std::string describe_status(int status) {
  if (WIFEXITED(status)) return format("exit code {}", WEXITSTATUS(status));
  return format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
}

int exit_code(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace antler::cli
