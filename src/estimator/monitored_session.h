#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/estimator/session_run_hook.h"
#include "estimator/graph_session.h"

namespace antler::estimator {

/// Options of a MonitoredSession.
struct MonitoredSessionOptions {
  Hooks hooks = {};
  /// Sets the initial values of the variables, when the session is created and after each loss of
  /// it.
  std::function<void(Session& session)> initialize = {};
  /// Number of steps of the next execution of an accelerator system; empty: single steps, or more
  /// while no hook needs to be called.
  std::function<int64_t()> steps_per_execution = {};
  /// Called with the duration of each execution.
  std::function<void(double seconds, int64_t steps)> on_execution = {};
  /// Whether to create a new session after an AbortedError or UnavailableError.
  bool recovers = true;
};

/// A session with its hooks (tf.compat.v1.train.MonitoredSession).
class MonitoredSession {
 public:
  /// Calls begin() of all hooks, creates the session, and calls after_create_session(). The last
  /// two are repeated after an error from which it recovers.
  MonitoredSession(GraphSession& session, MonitoredSessionOptions options);

  bool should_stop() const { return should_stop_; }
  /// One run with its hooks. The result contains the values of `fetches`; it is nullopt at the end
  /// of the data, which sets should_stop(). If it recovers, it creates a new session after an
  /// AbortedError or UnavailableError, and repeats the run.
  std::optional<RunResult> run(const std::vector<Fetch>& fetches = {});
  /// Calls end() of all hooks. To be called only after the last run or at the end of the data. As
  /// in TensorFlow, it does not recover: an AbortedError or UnavailableError of a hook becomes an
  /// UnavailableError with instructions.
  void close();

 private:
  void create();
  /// Like create(). Returns the message of an error from which it recovers.
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
