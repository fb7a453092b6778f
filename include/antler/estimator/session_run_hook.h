#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "antler/core/nest.h"
#include "antler/core/variable.h"
#include "antler/estimator/estimator_spec.h"
#include "antler/estimator/graph.h"

namespace antler::estimator {

/// A value that a hook fetches from a run: a named tensor ("total_loss", or a name given by
/// identity()), a tensor of the trace, or a variable.
using Fetch = std::variant<std::string, Tensor, Variable>;
/// Fetches under names that the hook chooses.
using Fetches = std::vector<std::pair<std::string, Fetch>>;
/// Values for placeholder_with_default()s, by their names.
using Feeds = std::vector<std::pair<std::string, Tensor>>;

/// The result of before_run() (tf.estimator.SessionRunArgs).
struct SessionRunArgs {
  Fetches fetches = {};
  Feeds feeds = {};
};

/// The values of a hook's fetches in the last step of the run, in their order
/// (tf.estimator.SessionRunValues).
struct SessionRunValues {
  std::vector<std::pair<std::string, Tensor>> results = {};
  int64_t steps = 1;  ///< steps that the run made
  /// Throws KeyError.
  const Tensor& at(const std::string& name) const;
};

/// The variables and programs of one call, as hooks see them.
class Session {
 public:
  virtual ~Session() = default;
  virtual const Graph& graph() const = 0;
  /// The stored global step; 0 if the graph has none.
  virtual int64_t global_step() const = 0;
  /// Runs one more batch only for these fetches, without hooks and without updates, for values that
  /// a hook needs outside of the steps. Restores global variables afterwards. Throws
  /// OutOfRangeError at the end of the data.
  virtual std::vector<Tensor> run(const std::vector<Fetch>& fetches) = 0;
};

/// The current run, as hooks see it (tf.estimator.SessionRunContext).
class SessionRunContext {
 public:
  SessionRunContext(Session& session, int64_t steps, bool is_execution = false)
      : session_(session), steps_(steps), is_execution_(is_execution) {}
  Session& session() const { return session_; }
  /// The number of steps that this run will make.
  int64_t steps() const { return steps_; }
  /// The number of runs that TensorFlow would count for `steps` steps of this run: one for an
  /// execution on an accelerator system, else one per step.
  int64_t iterations(int64_t steps) const { return is_execution_ ? 1 : steps; }
  /// Ends the loop after this run.
  void request_stop() { stop_requested_ = true; }
  bool stop_requested() const { return stop_requested_; }

 private:
  Session& session_;
  int64_t steps_;
  bool is_execution_;
  bool stop_requested_ = false;
};

/// Extends a training, evaluation or prediction loop (tf.estimator.SessionRunHook). The order of
/// calls: begin, after_create_session, then before_run and after_run around each run, then end.
/// end() is called after the last run, and after the end of the data, but not after other errors.
/// If a session is lost (AbortedError, UnavailableError), after_create_session is called again for
/// the new one.
///
/// With an accelerator system, a run is one execution of several steps. Otherwise a run is one
/// step, unless steps_until_run() of every hook allows longer runs.
class SessionRunHook {
 public:
  virtual ~SessionRunHook() = default;
  /// The graph is complete, but variables may still be created.
  virtual void begin() {}
  virtual void after_create_session(Session& /*session*/) {}
  virtual SessionRunArgs before_run(SessionRunContext& /*context*/) { return {}; }
  virtual void after_run(SessionRunContext& /*context*/, const SessionRunValues& /*values*/) {}
  virtual void end(Session& /*session*/) {}

  static constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
  /// The number of steps after which this hook needs a run to end; kNever if it does not matter.
  /// Called before each run, with the global step before it.
  virtual int64_t steps_until_run(int64_t /*global_step*/) const { return 1; }
  /// Whether the hook depends on the time, so that runs should be short (a fraction of a second).
  virtual bool is_timed() const { return false; }
};

}  // namespace antler::estimator
