#include "antler/training/preemption_checkpoint_handler.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <thread>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/ops/communicator.h"
#include "base/clock.h"
#include "training/callbacks/preemption_notice.h"

namespace antler::distribute {
namespace {

/// The name of the counter of steps in the checkpoint.
constexpr const char* kRunCounter = "preemption_run_calls";
/// Seconds between two calls of a `termination_watcher_fn`.
constexpr auto kWatchPause = std::chrono::seconds(1);
/// The last checkpoint starts this many steps before the end of the grace period.
constexpr double kSpareSteps = 3;

/// What a worker wants to do before a step. The largest value of all workers decides.
enum class Wish : int32_t { go_on, save, save_and_exit };

[[noreturn]] void exit_for_restart() {
  std::fflush(nullptr);
  std::cout.flush();
  // The communicator's threads are still running, so nothing may be destroyed.
  std::_Exit(PreemptionCheckpointHandler::kRestart);
}

/// Polls a function of the user.
class Watcher {
 public:
  explicit Watcher(std::function<bool()> came)
      : thread_([this, came = std::move(came)](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          bool warned = false;
          while (!stop.stop_requested() && !came_) {
            lock.unlock();
            try {
              came_ = came();
            } catch (const std::exception& error) {  // it is called again
              if (!std::exchange(warned, true))
                logging::warning(format("termination_watcher_fn failed: {}", error.what()));
            }
            lock.lock();
            changed_.wait_for(lock, stop, kWatchPause, [] { return false; });
          }
        }) {}
  bool came() const { return came_; }

 private:
  std::atomic<bool> came_ = false;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::jthread thread_;
};

std::shared_ptr<CheckpointManager> manager_of(const PreemptionCheckpointHandler::Target& target,
                                              const std::string& folder) {
  if (const auto* manager = std::get_if<std::shared_ptr<CheckpointManager>>(&target)) {
    if (*manager == nullptr)
      throw ValueError("PreemptionCheckpointHandler: the CheckpointManager is null.");
    return *manager;
  }
  if (folder.empty()) {
    throw ValueError(
        "PreemptionCheckpointHandler: when a checkpoint is passed, a `checkpoint_dir` must be "
        "passed as well.");
  }
  return std::make_shared<CheckpointManager>(std::get<Checkpoint>(target), folder,
                                             CheckpointManagerOptions{.max_to_keep = 1});
}

void check_workers(const ClusterResolver* resolver, const ops::Communicator* workers) {
  if (resolver == nullptr) return;
  const ClusterSpec cluster = resolver->cluster_spec();
  int64_t expected = 0;
  for (const char* job : {"chief", "master", "worker"})
    if (cluster.has_job(job)) expected += cluster.num_tasks(job);
  const int64_t connected = workers == nullptr ? 1 : workers->size();
  if (std::max<int64_t>(expected, 1) == connected) return;
  throw ValueError(
      "PreemptionCheckpointHandler: expected the cluster of the strategy, which has {} workers. "
      "Received: `cluster_resolver` with {}.",
      connected, expected);
}

}  // namespace

struct PreemptionCheckpointHandler::State {
  std::shared_ptr<ops::Communicator> workers = ops::communicator();  // null: this process is alone
  TerminationConfig config;
  std::shared_ptr<CheckpointManager> manager;
  Variable run_calls{Tensor::zeros(DType::int64, {}), {.name = kRunCounter, .trainable = false}};
  std::optional<callbacks::PreemptionNotice> notice;
  std::optional<Watcher> watcher;
  double step_start = 0;  // seconds
  double slowest_step = 0;
  std::optional<double> end;  // of the grace period; set once the first checkpoint is written

  bool is_chief() const { return workers == nullptr || workers->rank() == 0; }
  bool came() const { return watcher ? watcher->came() : notice->came(); }

  Wish wish() const {
    if (end) {
      const bool is_over = steady_seconds() + kSpareSteps * slowest_step >= *end;
      return is_over ? Wish::save_and_exit : Wish::go_on;
    }
    if (!came()) return Wish::go_on;
    return config.grace_period > 0 ? Wish::save : Wish::save_and_exit;
  }

  Wish agreed_wish() const {
    auto largest = static_cast<int32_t>(wish());
    if (workers != nullptr) workers->all_reduce(&largest, 1, DType::int32, ops::ReduceOp::max);
    return static_cast<Wish>(largest);
  }

  void save() const {
    if (config.save_fn) {
      config.save_fn();
    } else if (is_chief()) {
      logging::warning(format("Training is preempted: saved {}", manager->save()));
    }
    // No worker exits before the checkpoint is complete.
    if (workers != nullptr) workers->barrier();
  }

  void restore() const {
    int32_t found = 0;
    if (is_chief()) found = manager->restore_latest() ? 1 : 0;
    if (workers == nullptr) return;
    workers->broadcast(std::as_writable_bytes(std::span(&found, 1)), 0);
    if (found == 0) return;
    // The other workers may not have access to the chief's folder.
    for (const Variable& variable : manager->checkpoint().variables()) {
      const Tensor value = Tensor::empty(variable.dtype(), variable.shape());
      if (is_chief()) std::memcpy(value.mutable_data(), variable.stored().data(), value.bytes());
      workers->broadcast({static_cast<std::byte*>(value.mutable_data()), value.bytes()}, 0);
      variable.store(value);
    }
  }
};

PreemptionCheckpointHandler::PreemptionCheckpointHandler(
    const std::shared_ptr<const ClusterResolver>& cluster_resolver,
    const Target& checkpoint_or_checkpoint_manager, PreemptionCheckpointHandlerOptions options)
    : state_(std::make_unique<State>()) {
  check_workers(cluster_resolver.get(), state_->workers.get());
  state_->config = std::move(options.termination_config);
  state_->manager = manager_of(checkpoint_or_checkpoint_manager, options.checkpoint_dir);
  state_->manager->checkpoint().track(kRunCounter, state_->run_calls);
  state_->restore();
  if (state_->config.termination_watcher_fn) {
    state_->watcher.emplace(state_->config.termination_watcher_fn);
  } else {
    state_->notice.emplace();
  }
}

PreemptionCheckpointHandler::~PreemptionCheckpointHandler() = default;

int64_t PreemptionCheckpointHandler::total_run_calls() const {
  return static_cast<int64_t>(state_->run_calls.stored().item());
}

void PreemptionCheckpointHandler::before_step() {
  State& state = *state_;
  const Wish wish = state.agreed_wish();
  if (wish != Wish::go_on) {
    state.save();
    if (wish == Wish::save) {
      state.end = steady_seconds() + state.config.grace_period;
    } else {
      if (!state.config.exit_fn) exit_for_restart();
      state.config.exit_fn();
      state.end.reset();
      if (state.notice) state.notice->dismiss();
    }
  }
  state.step_start = steady_seconds();
}

void PreemptionCheckpointHandler::after_step() {
  State& state = *state_;
  state.slowest_step = std::max(state.slowest_step, steady_seconds() - state.step_start);
  state.run_calls.store(Tensor::full(DType::int64, {}, static_cast<double>(total_run_calls() + 1)));
}

}  // namespace antler::distribute
