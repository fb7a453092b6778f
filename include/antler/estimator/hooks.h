#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/estimator/scaffold.h"
#include "antler/estimator/session_run_hook.h"
#include "antler/estimator/timer.h"

namespace antler {
class Profiler;
}

/// TensorFlow's hooks (tf.estimator.*Hook), with its cadences and log lines.
namespace antler::estimator {

class SummaryWriter;

/// NanTensorHook found a loss that is not a number.
class NanLossDuringTrainingError : public RuntimeError {
 public:
  NanLossDuringTrainingError() : RuntimeError("NaN loss during training.") {}
  const char* class_name() const noexcept override { return "NanLossDuringTrainingError"; }
};

/// Options of StopAtStepHook.
struct StopAtStepHookOptions {
  std::optional<int64_t> num_steps = {};  ///< from the step at which the session is created
  std::optional<int64_t> last_step = {};  ///< the global step; not with `num_steps`
};

/// Stops at a global step.
class StopAtStepHook final : public SessionRunHook {
 public:
  /// Throws ValueError unless one of the options is given.
  explicit StopAtStepHook(const StopAtStepHookOptions& options);
  void after_create_session(Session& session) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;
  int64_t steps_until_run(int64_t global_step) const override;

 private:
  std::optional<int64_t> num_steps_;
  std::optional<int64_t> last_step_;
};

/// Is notified of checkpoints (tf.estimator.CheckpointSaverListener).
class CheckpointSaverListener {
 public:
  virtual ~CheckpointSaverListener() = default;
  virtual void begin() {}
  virtual void before_save(Session& /*session*/, int64_t /*global_step*/) {}
  /// Returns true to stop training.
  virtual bool after_save(Session& /*session*/, int64_t /*global_step*/) { return false; }
  virtual void end(Session& /*session*/, int64_t /*global_step*/) {}
};
using ListenerPtr = std::shared_ptr<CheckpointSaverListener>;

/// Options of CheckpointSaverHook.
struct CheckpointSaverHookOptions {
  std::optional<double> save_secs = {};    ///< seconds between checkpoints; not with `save_steps`
  std::optional<int64_t> save_steps = {};  ///< steps between checkpoints; not with `save_secs`
  std::optional<Saver> saver = {};         ///< not given: that of the scaffold, or a new one
  std::string checkpoint_basename = "model.ckpt";  ///< files are BASENAME-STEP.*
  std::shared_ptr<Scaffold> scaffold = {};         ///< provides the saver; not with `saver`
  std::vector<ListenerPtr> listeners = {};         ///< notified before and after each checkpoint
  bool save_graph_def = true;                      ///< also write the graph
};

/// Saves when a session is created, at its cadence, and at the end.
class CheckpointSaverHook final : public SessionRunHook {
 public:
  /// Throws ValueError for both saver and scaffold, and unless one cadence is given.
  explicit CheckpointSaverHook(const std::string& checkpoint_dir,
                               const CheckpointSaverHookOptions& options = {});
  void add_listeners(const std::vector<ListenerPtr>& listeners);
  /// The saver of a hook that got neither a saver nor a scaffold. An Estimator gives its own, so
  /// that keep_checkpoint_max holds for the hooks of users, too.
  void set_default_saver(const Saver& saver);
  void begin() override;
  void after_create_session(Session& session) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;
  void end(Session& session) override;
  int64_t steps_until_run(int64_t global_step) const override;
  bool is_timed() const override { return timer_.every_secs().has_value(); }

 private:
  bool save(Session& session, int64_t step);
  std::string directory_;
  CheckpointSaverHookOptions options_;
  SecondOrStepTimer timer_;
  std::optional<Saver> saver_;
  std::shared_ptr<SummaryWriter> writer_;
};

/// Tensors to log, by tag.
using LoggedTensors = std::vector<std::pair<std::string, Fetch>>;
/// Sorts by tag, as TensorFlow does for a dictionary.
LoggedTensors sorted_by_tag(LoggedTensors tensors);

/// Options of LoggingTensorHook.
struct LoggingTensorHookOptions {
  std::optional<int64_t> every_n_iter = {};  ///< steps between logs
  std::optional<double> every_n_secs = {};   ///< seconds between logs
  bool at_end = false;                       ///< also when the run ends
  /// Makes the whole line from tags and values in order.
  std::function<std::string(const std::vector<std::pair<std::string, Tensor>>&)> formatter = {};
};

/// Logs `a = 1, b = 2 (1.234 sec)`.
class LoggingTensorHook final : public SessionRunHook {
 public:
  /// Tensors are written in the given order, see sorted_by_tag(). Throws ValueError unless there is
  /// one cadence, or only at_end, and for every_n_iter <= 0.
  LoggingTensorHook(LoggedTensors tensors, const LoggingTensorHookOptions& options);
  void begin() override;
  SessionRunArgs before_run(SessionRunContext& context) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;
  void end(Session& session) override;
  int64_t steps_until_run(int64_t global_step) const override;
  bool is_timed() const override { return timer_.every_secs().has_value(); }

 private:
  void log(const std::vector<std::pair<std::string, Tensor>>& values);
  LoggedTensors tensors_;
  LoggingTensorHookOptions options_;
  bool triggers(int64_t iterations) const;
  SecondOrStepTimer timer_;
  int64_t iterations_ = 0;  ///< so far
  bool fetches_ = false;
};

/// Options of StepCounterHook.
struct StepCounterHookOptions {
  std::optional<int64_t> every_n_steps = 100;  ///< steps between reports; not with `every_n_secs`
  std::optional<double> every_n_secs = {};     ///< seconds between reports
  std::string output_dir = {};                 ///< folder of the files
  std::shared_ptr<SummaryWriter> summary_writer = {};  ///< in place of `output_dir`
};

/// Writes and logs `global_step/sec`.
class StepCounterHook : public SessionRunHook {
 public:
  /// Throws ValueError unless one cadence is given.
  explicit StepCounterHook(const StepCounterHookOptions& options = {});
  void begin() override;
  void after_create_session(Session& session) override;
  SessionRunArgs before_run(SessionRunContext& context) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;
  int64_t steps_until_run(int64_t global_step) const override;
  bool is_timed() const override { return timer_.every_secs().has_value(); }

 protected:
  virtual void report(int64_t elapsed_steps, double elapsed_secs, int64_t global_step);
  const std::shared_ptr<SummaryWriter>& writer() const { return writer_; }

 private:
  StepCounterHookOptions options_;
  SecondOrStepTimer timer_;
  std::shared_ptr<SummaryWriter> writer_;
  int64_t step_before_ = 0;  ///< global step before the run
  std::optional<int64_t> last_step_before_;
  int64_t warnings_ = 0;
};

/// Writes and logs `global_step/sec` and `examples/sec` (of batches of `batch_size` rows).
class ExamplesPerSecondHook final : public StepCounterHook {
 public:
  explicit ExamplesPerSecondHook(int64_t batch_size, const StepCounterHookOptions& options = {});

 protected:
  void report(int64_t elapsed_steps, double elapsed_secs, int64_t global_step) override;

 private:
  int64_t batch_size_;
};

/// Options of SummarySaverHook.
struct SummarySaverHookOptions {
  std::optional<int64_t> save_steps = {};  ///< steps between writes; not with `save_secs`
  std::optional<double> save_secs = {};    ///< seconds between writes; not with `save_steps`
  std::string output_dir = {};             ///< folder of the files
  std::shared_ptr<SummaryWriter> summary_writer = {};  ///< in place of `output_dir`
  std::shared_ptr<Scaffold> scaffold = {};             ///< write the summaries of its graph
  /// Tag and tensor of scalar summaries.
  LoggedTensors summary_op = {};
};

/// Writes summaries at the first run and then at its cadence. Also writes the graph if it has not
/// been written yet.
class SummarySaverHook final : public SessionRunHook {
 public:
  /// Throws ValueError unless one cadence, and one of scaffold and summary_op, is given.
  explicit SummarySaverHook(const SummarySaverHookOptions& options);
  ~SummarySaverHook() override;
  void begin() override;
  void after_create_session(Session& session) override;
  SessionRunArgs before_run(SessionRunContext& context) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;
  void end(Session& session) override;
  int64_t steps_until_run(int64_t global_step) const override;
  bool is_timed() const override { return timer_.every_secs().has_value(); }

 private:
  struct Requested;
  bool triggers(int64_t steps) const;
  SummarySaverHookOptions options_;
  SecondOrStepTimer timer_;
  std::shared_ptr<SummaryWriter> writer_;
  bool fetches_ = false;
  std::vector<Requested> requested_;  ///< by the current run
  int64_t step_before_ = 0;           ///< global step before the run
  std::optional<int64_t> next_step_;  ///< after the next step
};

/// Stops training, with an error or a warning, when the loss is not a number. Infinity is allowed.
class NanTensorHook final : public SessionRunHook {
 public:
  explicit NanTensorHook(Fetch loss, bool fail_on_nan_loss = true);
  SessionRunArgs before_run(SessionRunContext& context) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;
  /// Never, because the session itself checks the loss after each step.
  int64_t steps_until_run(int64_t /*global_step*/) const override { return kNever; }

 private:
  Fetch loss_;
  bool fail_;
};

/// Polls until another process has reached a global step.
class GlobalStepWaiterHook final : public SessionRunHook {
 public:
  explicit GlobalStepWaiterHook(int64_t wait_until_step);
  SessionRunArgs before_run(SessionRunContext& context) override;
  int64_t steps_until_run(int64_t global_step) const override;

 private:
  int64_t wait_until_step_;
  bool done_ = false;
};

/// Evaluates tensors at the end, on one more batch if they depend on the data.
class FinalOpsHook final : public SessionRunHook {
 public:
  explicit FinalOpsHook(LoggedTensors final_ops);
  void end(Session& session) override;
  const std::vector<std::pair<std::string, Tensor>>& final_ops_values() const { return values_; }
  int64_t steps_until_run(int64_t /*global_step*/) const override { return kNever; }

 private:
  LoggedTensors final_ops_;
  std::vector<std::pair<std::string, Tensor>> values_;
};

/// Feeds the values that a function returns to every run.
class FeedFnHook final : public SessionRunHook {
 public:
  explicit FeedFnHook(std::function<Feeds()> feed_fn);
  SessionRunArgs before_run(SessionRunContext& context) override;

 private:
  std::function<Feeds()> feed_fn_;
};

/// Options of ProfilerHook.
struct ProfilerHookOptions {
  std::optional<int64_t> save_steps = {};  ///< steps between writes; not with `save_secs`
  std::optional<double> save_secs = {};    ///< seconds between writes; not with `save_steps`
  std::string output_dir = {};             ///< folder of the files
  bool show_dataflow = true;               ///< accepted; the trace has the kernels' times only
  bool show_memory = false;                ///< accepted, likewise
};

/// Writes a Chrome trace of single steps, `timeline-STEP.json`.
class ProfilerHook final : public SessionRunHook {
 public:
  explicit ProfilerHook(const ProfilerHookOptions& options);
  void begin() override;
  SessionRunArgs before_run(SessionRunContext& context) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;
  int64_t steps_until_run(int64_t global_step) const override;
  bool is_timed() const override { return timer_.every_secs().has_value(); }

 private:
  bool triggers(int64_t steps) const;
  ProfilerHookOptions options_;
  SecondOrStepTimer timer_;
  std::shared_ptr<Profiler> profiler_;
  std::optional<int64_t> next_step_;  ///< after the next step
};

}  // namespace antler::estimator
