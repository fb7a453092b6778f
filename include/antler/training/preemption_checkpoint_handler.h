#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "antler/distribute/cluster_resolver.h"
#include "antler/saving/checkpoint.h"

namespace antler::distribute {

/// What to do when the machine of a worker is about to be preempted.
struct TerminationConfig {
  /// Returns true when preemption is announced; called about once a second by a separate thread,
  /// also after it threw. Default: SIGTERM announces preemption.
  std::function<bool()> termination_watcher_fn = {};
  /// Called in all workers after the checkpoint has been written; if it returns, training
  /// continues. Default: the process exits with code PreemptionCheckpointHandler::kRestart.
  std::function<void()> exit_fn = {};
  /// Seconds from the notice until the machine is gone. If positive, training continues after a
  /// first checkpoint; shortly before the time is over, a second one is written, and the process
  /// exits.
  double grace_period = 0;
  /// Called in all workers to write the checkpoint in place of the handler.
  std::function<void()> save_fn = {};
};

/// Options of PreemptionCheckpointHandler.
struct PreemptionCheckpointHandlerOptions {
  /// Folder of the checkpoints; needed with a Checkpoint, not used with a manager.
  std::string checkpoint_dir = {};
  TerminationConfig termination_config = {};  ///< when and how to stop
};

/// Saves training before a worker is preempted, and restores it when the program starts again
/// (TensorFlow's `PreemptionCheckpointHandler`). For custom loops; in fit(),
/// callbacks::BackupAndRestore does the same:
///
///     PreemptionCheckpointHandler handler(resolver, checkpoint, {.checkpoint_dir = "run"});
///     while (handler.total_run_calls() < steps) handler.run([&] { train_step(next_batch()); });
///
/// The constructor restores the latest checkpoint of the folder, if there is one; all workers get
/// the chief's values. When any worker is preempted, all workers agree on the step before which
/// they stop; the chief saves, and all exit. This costs one exchanged number per step.
///
/// All workers create a handler at the same point, within the strategy's lifetime, and call run()
/// equally often. The checkpoint's objects must be built. Only one handler may exist at a time.
class PreemptionCheckpointHandler {
 public:
  /// The exit code that asks for a restart.
  static constexpr int kRestart = 42;
  using Target = std::variant<Checkpoint, std::shared_ptr<CheckpointManager>>;

  /// `cluster_resolver` may be null. Throws ValueError for a Checkpoint without `checkpoint_dir`,
  /// and if the number of workers in the resolver's cluster is not that of the connected ones; and
  /// what CheckpointManager::restore_latest() throws.
  PreemptionCheckpointHandler(const std::shared_ptr<const ClusterResolver>& cluster_resolver,
                              const Target& checkpoint_or_checkpoint_manager,
                              PreemptionCheckpointHandlerOptions options = {});
  ~PreemptionCheckpointHandler();
  PreemptionCheckpointHandler(const PreemptionCheckpointHandler&) = delete;
  PreemptionCheckpointHandler& operator=(const PreemptionCheckpointHandler&) = delete;

  /// Calls `step`, unless the workers agreed to save and exit here. Returns its result.
  template <class Step>
  std::invoke_result_t<Step&> run(Step&& step) {
    before_step();
    const Counting counting(*this);
    return step();
  }
  /// Calls of run(), including those before a restart of the program.
  int64_t total_run_calls() const;

 private:
  struct State;
  /// Counts a step that did not throw.
  class Counting {
   public:
    explicit Counting(PreemptionCheckpointHandler& handler)
        : handler_(handler), exceptions_(std::uncaught_exceptions()) {}
    ~Counting() {
      if (std::uncaught_exceptions() == exceptions_) handler_.after_step();
    }
    Counting(const Counting&) = delete;
    Counting& operator=(const Counting&) = delete;

   private:
    PreemptionCheckpointHandler& handler_;
    int exceptions_;
  };
  void before_step();
  void after_step();

  std::unique_ptr<State> state_;
};

}  // namespace antler::distribute
