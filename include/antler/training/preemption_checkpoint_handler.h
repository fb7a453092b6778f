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

/// What happens when the machine of a worker is about to be taken away.
struct TerminationConfig {
  /// Returns true when that is so; called about once a second by a thread of its own. Not given:
  /// SIGTERM announces it.
  std::function<bool()> termination_watcher_fn = {};
  /// Called in all workers after the checkpoint was written. Not given: the process ends with code
  /// PreemptionCheckpointHandler::kRestart. If it returns, training continues.
  std::function<void()> exit_fn = {};
  /// Seconds from the notice to the end of the machine. If positive, training continues after a
  /// first checkpoint, and is saved again shortly before the time is over; then it ends.
  double grace_period = 0;
  /// Writes the checkpoint instead of the handler; called in all workers.
  std::function<void()> save_fn = {};
};

struct PreemptionCheckpointHandlerOptions {
  /// Folder of the checkpoints; needed with a Checkpoint, not used with a manager.
  std::string checkpoint_dir = {};
  TerminationConfig termination_config = {};
};

/// Saves training before a worker is taken away, and restores it when the program starts again
/// (TensorFlow's `PreemptionCheckpointHandler`). For loops of one's own; in fit(),
/// callbacks::BackupAndRestore does the same:
///
///     PreemptionCheckpointHandler handler(resolver, checkpoint, {.checkpoint_dir = "run"});
///     while (handler.total_run_calls() < steps) handler.run([&] { train_step(next_batch()); });
///
/// The constructor restores the latest checkpoint of the folder, if there is one; all workers get
/// the chief's values. When any worker is to end, all agree on a step before which each of them
/// stops, the chief saves, and all exit. Workers exchange one number per step for this.
///
/// All workers make one at the same point, within the strategy's lifetime, and call run() equally
/// often. The objects must be built. Only one may exist at a time.
class PreemptionCheckpointHandler {
 public:
  /// The exit code that asks for a new start.
  static constexpr int kRestart = 42;
  using Target = std::variant<Checkpoint, std::shared_ptr<CheckpointManager>>;

  /// `cluster_resolver` may be null. Throws ValueError for a Checkpoint without `checkpoint_dir`,
  /// and if the resolver's cluster has another number of workers than those that are connected;
  /// and what CheckpointManager::restore_latest() throws.
  PreemptionCheckpointHandler(const std::shared_ptr<const ClusterResolver>& cluster_resolver,
                              const Target& checkpoint_or_checkpoint_manager,
                              PreemptionCheckpointHandlerOptions options = {});
  ~PreemptionCheckpointHandler();
  PreemptionCheckpointHandler(const PreemptionCheckpointHandler&) = delete;
  PreemptionCheckpointHandler& operator=(const PreemptionCheckpointHandler&) = delete;

  /// Calls `step`, unless this is where all workers save and exit. Returns what it returns.
  template <class Step>
  std::invoke_result_t<Step&> run(Step&& step) {
    before_step();
    const Counting counting(*this);
    return step();
  }
  /// Calls of run(), with those before the program was started again.
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
