#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/estimator/session_run_hook.h"
#include "estimator/graph_session.h"

namespace antler::estimator {

/// How a MonitoredSession is made.
struct MonitoredSessionOptions {
  Hooks hooks = {};
  /// Gives the variables their values, when the session is created and after each loss of it.
  std::function<void(Session& session)> initialize = {};
  /// Steps of the next execution of an accelerator system; empty: single steps, and more where no
  /// hook looks.
  std::function<int64_t()> steps_per_execution = {};
  /// Told how long an execution took.
  std::function<void(double seconds, int64_t steps)> on_execution = {};
  /// Whether an AbortedError or UnavailableError makes a new session.
  bool recovers = true;
};

/// A session with its hooks (tf.compat.v1.train.MonitoredSession).
class MonitoredSession {
 public:
  /// Calls begin() of all hooks, creates the session, and calls after_create_session(); again after
  /// an error from which it recovers.
  MonitoredSession(GraphSession& session, MonitoredSessionOptions options);

  bool should_stop() const { return should_stop_; }
  /// One run with its hooks; the values of `fetches` in its result. None at the end of the data,
  /// which sets should_stop(). If it recovers, it makes a new session after an AbortedError or
  /// UnavailableError, and tries the run again.
  std::optional<RunResult> run(const std::vector<Fetch>& fetches = {});
  /// Calls end() of all hooks. For after the last run, and the end of the data, only. As in
  /// TensorFlow, it does not recover: an AbortedError or UnavailableError of a hook becomes an
  /// UnavailableError that says what to do.
  void close();

 private:
  void create();
  /// As create(); the message of an error from which it recovers.
  std::optional<std::string> try_to_create();
  std::optional<RunResult> run_once(const std::vector<Fetch>& fetches);
  void recover(std::string message);
  int64_t plan_steps(int64_t global_step) const;

  GraphSession& session_;
  MonitoredSessionOptions options_;
  bool is_timed_ = false;
  bool should_stop_ = false;
  double steps_per_second_ = 0;
};

}  // namespace antler::estimator
