#include "processes/process_pool.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <list>
#include <memory>
#include <string_view>

#include "antler/base/error.h"
#include "processes/child_process.h"
#include "processes/signal_queue.h"

namespace antler::cli {
namespace {

using PoolClock = std::chrono::steady_clock;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

/// The end of what a program wrote to standard error; enough for its last line.
class ErrorTail {
 public:
  void add(std::string_view text) {
    constexpr size_t kKept = 4096;
    text_ += text;
    if (text_.size() > kKept) text_.erase(0, text_.size() - kKept);
  }
  /// The last line that is not empty, without the name of this program.
  std::string last_line() const {
    constexpr std::string_view kName = "antler: ";
    const size_t end = text_.find_last_not_of("\r\n ");
    if (end == std::string::npos) return "";
    const size_t begin = text_.find_last_of('\n', end) + 1;  // npos + 1 is 0
    const std::string line = text_.substr(begin, end + 1 - begin);
    return line.starts_with(kName) ? line.substr(kName.size()) : line;
  }

 private:
  std::string text_;
};

/// A job that runs.
class RunningJob {
 public:
  RunningJob(PoolJob job, const sigset_t& signals)
      : job_(std::move(job)), signals_(signals), begin_(PoolClock::now()) {
    log_.reset(std::fopen(job_.log.c_str(), "we"));
    if (!log_) throw IOError("Cannot write '{}'.", job_.log);
    start();
  }
  RunningJob(const RunningJob&) = delete;
  RunningJob& operator=(const RunningJob&) = delete;
  ~RunningJob() {
    if (child_.pid <= 0) return;
    signal(SIGKILL);
    ::waitpid(child_.pid, nullptr, 0);
  }

  void signal(int number) const { ::kill(-child_.pid, number); }
  const Descriptor& out() const { return child_.out; }
  const Descriptor& err() const { return child_.err; }

  /// Copies the available output to the log.
  void copy() {
    copy(child_.out, nullptr);
    copy(child_.err, &tail_);
  }

  /// Whether the program has ended. For a job that is being stopped: its next program is not
  /// started.
  bool stopped() {
    if (child_.pid > 0 && ::waitpid(child_.pid, nullptr, WNOHANG) == child_.pid) child_.pid = -1;
    return child_.pid <= 0;
  }

  /// Starts the next program if this one has ended successfully. Returns the job's result if the
  /// last program has ended or one has failed.
  std::optional<PoolResult> check() {
    int status = 0;
    if (::waitpid(child_.pid, &status, WNOHANG) != child_.pid) return {};
    child_.pid = -1;
    copy();
    const bool success = exit_code(status) == 0;
    if (success && ++command_ < job_.commands.size()) {
      start();
      return {};
    }
    if (std::fflush(log_.get()) != 0) throw IOError("Cannot write '{}'.", job_.log);
    PoolResult result;
    result.id = job_.id;
    result.exit_code = exit_code(status);
    result.seconds = std::chrono::duration<double>(PoolClock::now() - begin_).count();
    if (!success) {
      result.error = WIFEXITED(status) ? tail_.last_line() : "ended by " + describe_status(status);
      if (result.error.empty()) result.error = "ended with " + describe_status(status);
    }
    return result;
  }

 private:
  void start() {
    tail_ = {};
    ProcessPlan plan;
    plan.name = format("job {}", job_.id);
    plan.command = job_.commands[command_];
    plan.environment = job_.environment;
    child_ = start_process(plan, signals_);
  }

  void copy(Descriptor& from, ErrorTail* tail) {
    while (from.open()) {
      char buffer[1 << 12];
      const ssize_t count = ::read(from.get(), buffer, sizeof buffer);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0 && errno == EAGAIN) return;
      if (count <= 0) {
        from.close();
        return;
      }
      const std::string_view text(buffer, static_cast<size_t>(count));
      std::fwrite(text.data(), 1, text.size(), log_.get());
      std::fflush(log_.get());
      if (tail != nullptr) tail->add(text);
    }
  }

  PoolJob job_;
  const sigset_t& signals_;
  PoolClock::time_point begin_;
  std::unique_ptr<std::FILE, CloseFile> log_;
  size_t command_ = 0;
  ChildProcess child_;
  ErrorTail tail_;
};

class ProcessPool {
 public:
  explicit ProcessPool(int64_t size) : size_(size) {}

  int run(const std::function<std::optional<PoolJob>()>& next,
          const std::function<void(const PoolResult&)>& ended) {
    while (true) {
      while (std::ssize(jobs_) < size_) {
        std::optional<PoolJob> job = next();
        if (!job) break;
        jobs_.emplace_back(std::move(*job), signals_.before());
      }
      if (jobs_.empty()) return 0;
      wait();
      while (const auto signal = signals_.next()) {
        if (*signal == SIGCHLD) continue;
        end_all();
        return 128 + *signal;
      }
      for (auto job = jobs_.begin(); job != jobs_.end();) {
        const auto result = job->check();
        job = result ? jobs_.erase(job) : std::next(job);
        if (result) ended(*result);
      }
    }
  }

 private:
  /// Waits for output, the end of a program, or a signal. Copies output.
  void wait() {
    std::vector<pollfd> fds = {{.fd = signals_.fd(), .events = POLLIN, .revents = 0}};
    for (const RunningJob& job : jobs_) {
      for (const Descriptor* source : {&job.out(), &job.err()}) {
        if (source->open()) fds.push_back({.fd = source->get(), .events = POLLIN, .revents = 0});
      }
    }
    if (::poll(fds.data(), fds.size(), -1) <= 0) return;
    for (RunningJob& job : jobs_) job.copy();
  }

  /// Asks all programs to end, and kills them after a grace time.
  void end_all() {
    constexpr std::chrono::seconds kGrace{5};
    const auto deadline = PoolClock::now() + kGrace;
    for (const RunningJob& job : jobs_) job.signal(SIGTERM);
    while (!jobs_.empty() && PoolClock::now() < deadline) {
      pollfd fd = {.fd = signals_.fd(), .events = POLLIN, .revents = 0};
      ::poll(&fd, 1, 20);
      while (signals_.next()) {
      }
      jobs_.remove_if([](RunningJob& job) { return job.stopped(); });
    }
    jobs_.clear();
  }

  int64_t size_;
  SignalQueue signals_;
  std::list<RunningJob> jobs_;
};

}  // namespace

int run_jobs(int64_t size, const std::function<std::optional<PoolJob>()>& next,
             const std::function<void(const PoolResult&)>& ended) {
  return ProcessPool(size).run(next, ended);
}

}  // namespace antler::cli
