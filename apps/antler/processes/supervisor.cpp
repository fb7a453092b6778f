#include "processes/supervisor.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "antler/base/error.h"
#include "processes/child_process.h"
#include "processes/line_output.h"
#include "processes/signal_queue.h"

// Each process leads its own process group, so that a signal reaches everything it started. A
// member is first `running`, then `ending` while any process of its group is left, then `ended`.

namespace antler::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Member {
  enum class State { running, ending, ended };

  ProcessPlan plan;
  int64_t restarts = 0;
  State state = State::ended;
  pid_t group = -1;
  Descriptor in;
  std::vector<LineCopier> copiers;
  bool again = false;
  /// When its group will be killed; set once it has been asked to end.
  std::optional<Clock::time_point> deadline;

  void signal(int number) const {
    if (state != State::ended) ::kill(-group, number);
  }
};

class Supervisor {
 public:
  Supervisor(std::vector<ProcessPlan> plans, const SupervisorOptions& options) : options_(options) {
    // Orphans of the processes become children of this one.
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (ProcessPlan& plan : plans) {
      Member& member = members_.emplace_back();
      member.plan = std::move(plan);
      member.restarts = options.restarts;
    }
  }
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;
  ~Supervisor() {
    for (const Member& member : members_) member.signal(SIGKILL);
  }

  int run() {
    for (Member& member : members_) start(member);
    while (!finished()) {
      wait();
      serve_signals();
      check_groups();
      out_.flush();
      err_.flush();
      if (out_.broken() || err_.broken()) stop(SIGTERM);
    }
    if (out_.broken()) throw IOError("Cannot write to the standard output.");
    return result_;
  }

 private:
  void start(Member& member) {
    ChildProcess child = start_process(member.plan, signals_.before());
    member.group = child.pid;
    member.in = std::move(child.in);
    const std::string prefix = format("[{}] ", member.plan.name);
    member.copiers.clear();
    member.copiers.emplace_back(std::move(child.out), prefix, out_);
    member.copiers.emplace_back(std::move(child.err), prefix, err_);
    member.deadline.reset();
    member.again = false;
    member.state = Member::State::running;
  }

  bool finished() const {
    const bool all_ended = std::all_of(members_.begin(), members_.end(), [](const Member& member) {
      return member.state == Member::State::ended;
    });
    // After a second signal, do not wait for a reader.
    return all_ended && ((out_.empty() && err_.empty()) || hurry_);
  }

  /// Waits for output, room for output, a signal, or the time to check a group again. Copies
  /// output.
  void wait() {
    std::vector<pollfd> fds = {{.fd = signals_.fd(), .events = POLLIN, .revents = 0}};
    std::vector<LineCopier*> readers;
    bool look_again = false;
    for (Member& member : members_) {
      look_again = look_again || member.deadline || member.state == Member::State::ending;
      for (LineCopier& copier : member.copiers) {
        if (!copier.source().open() || copier.queue().full()) continue;
        fds.push_back({.fd = copier.source().get(), .events = POLLIN, .revents = 0});
        readers.push_back(&copier);
      }
    }
    for (const OutputQueue* queue : {&out_, &err_}) {
      if (!queue->empty()) fds.push_back({.fd = queue->fd(), .events = POLLOUT, .revents = 0});
    }
    constexpr int kLookAgainMs = 20;
    if (::poll(fds.data(), fds.size(), look_again ? kLookAgainMs : -1) <= 0) return;
    for (size_t i = 0; i < readers.size(); ++i) {
      if (fds[i + 1].revents != 0) readers[i]->copy();
    }
  }

  void serve_signals() {
    while (const auto signal = signals_.next()) {
      if (*signal == SIGCHLD) continue;
      // Some senders signal both the process and its group; that counts as one signal.
      constexpr std::chrono::seconds kSame{1};
      if (first_signal_) {
        hurry_ = hurry_ || Clock::now() - *first_signal_ > kSame;
        if (!hurry_) continue;
        for (const Member& member : members_) member.signal(SIGKILL);
      } else {
        first_signal_ = Clock::now();
        if (result_ == 0) result_ = 128 + *signal;
        say(format("ending all processes ({})", ::strsignal(*signal)));
        stopping_ = false;  // ask all again
        stop(*signal == SIGINT ? SIGINT : SIGTERM);
      }
    }
    int status = 0;
    for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      for (Member& member : members_) {
        if (member.group == pid && member.state == Member::State::running) on_end(member, status);
      }
    }
  }

  /// The process itself has ended; other processes of its group may be left.
  void on_end(Member& member, int status) {
    member.state = Member::State::ending;
    // With a deadline, the rest of the group has already received the signal, unless the member is
    // remote: then only the standard input of its ssh was closed.
    if (!member.deadline || member.plan.remote) ask_to_end(member, SIGTERM);
    if (stopping_) return;
    const int code = exit_code(status);
    if (code == 0) {
      if (member.plan.leads || only_servers_run()) stop(SIGTERM);
    } else if (member.restarts > 0) {
      --member.restarts;
      member.again = true;
      say(format("{} ended with {}; starting it again ({} restarts left)", member.plan.name,
                 describe_status(status), member.restarts));
    } else {
      result_ = code;
      say(format("{} ended with {}; ending the others", member.plan.name, describe_status(status)));
      stop(SIGTERM);
    }
  }

  bool only_servers_run() const {
    return std::all_of(members_.begin(), members_.end(), [](const Member& member) {
      return member.plan.serves || (member.state != Member::State::running && !member.again);
    });
  }

  void stop(int signal) {
    if (std::exchange(stopping_, true)) return;
    for (Member& member : members_) {
      member.again = false;
      ask_to_end(member, signal);
    }
  }

  void ask_to_end(Member& member, int signal) const {
    if (member.state == Member::State::ended) return;
    // A remote program has its own grace time, which starts when it learns of the request.
    constexpr std::chrono::seconds kRemote{5};
    const auto grace = std::chrono::seconds(options_.grace) +
                       (member.plan.remote ? kRemote : std::chrono::seconds(0));
    if (!member.deadline) member.deadline = Clock::now() + grace;
    if (member.in.open()) {
      member.in.close();
    } else {
      member.signal(signal);
    }
  }

  void check_groups() {
    for (Member& member : members_) {
      if (member.deadline && Clock::now() >= *member.deadline) member.signal(SIGKILL);
      if (member.state != Member::State::ending || ::kill(-member.group, 0) == 0) continue;
      member.state = Member::State::ended;
      member.deadline.reset();
      for (LineCopier& copier : member.copiers) {
        if (copier.source().open()) copier.finish();
      }
      if (member.again) start(member);
    }
  }

  void say(const std::string& text) { err_.add(format("antler launch: {}\n", text)); }

  SupervisorOptions options_;
  SignalQueue signals_;
  OutputQueue out_{STDOUT_FILENO};
  OutputQueue err_{STDERR_FILENO};
  std::vector<Member> members_;
  bool stopping_ = false;
  std::optional<Clock::time_point> first_signal_;
  bool hurry_ = false;
  int result_ = 0;
};

}  // namespace

int supervise(std::vector<ProcessPlan> plans, const SupervisorOptions& options) {
  return Supervisor(std::move(plans), options).run();
}

}  // namespace antler::cli
