#include "estimator/monitored_session.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "estimator/graph_state.h"
#include "estimator/shared_training.h"

namespace antler::estimator {
namespace {

/// Limit for the steps of a run that no hook limits, so that other work can be done in between.
constexpr int64_t kMostSteps = 1000;
/// Length of a run, in seconds, while a hook acts by the clock.
constexpr double kTimedRun = 0.1;
/// Pause before another attempt to create a session.
constexpr std::chrono::milliseconds kRetryPause(500);

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

MonitoredSession::MonitoredSession(GraphSession& session, MonitoredSessionOptions options)
    : session_(session), options_(std::move(options)) {
  {
    // Hooks may still make variables.
    const SharedScope shared(session_.model().strategy());
    const GraphScope scope(session_.graph());
    for (const HookPtr& hook : options_.hooks) hook->begin();
  }
  is_timed_ = std::any_of(options_.hooks.begin(), options_.hooks.end(),
                          [](const HookPtr& hook) { return hook->is_timed(); });
  if (const std::optional<std::string> failure = try_to_create()) recover(*failure);
}

std::optional<std::string> MonitoredSession::try_to_create() {
  try {
    create();
    return std::nullopt;
  } catch (const AbortedError& error) {
    if (!options_.recovers) throw;
    return error.what();
  } catch (const UnavailableError& error) {
    if (!options_.recovers) throw;
    return error.what();
  }
}

void MonitoredSession::create() {
  if (options_.initialize) options_.initialize(session_);
  for (const HookPtr& hook : options_.hooks) hook->after_create_session(session_);
}

int64_t MonitoredSession::plan_steps(int64_t global_step) const {
  if (options_.steps_per_execution) return std::max<int64_t>(options_.steps_per_execution(), 1);
  int64_t steps = kMostSteps;
  for (const HookPtr& hook : options_.hooks)
    steps = std::min(steps, hook->steps_until_run(global_step));
  if (is_timed_) {
    // The speed is unknown before the first run, which has one step.
    steps = std::min(steps, static_cast<int64_t>(steps_per_second_ * kTimedRun));
  }
  return std::max<int64_t>(steps, 1);
}

std::optional<RunResult> MonitoredSession::run(const std::vector<Fetch>& fetches) {
  for (;;) {
    try {
      return run_once(fetches);
    } catch (const OutOfRangeError&) {
      should_stop_ = true;
      return std::nullopt;
    } catch (const AbortedError& error) {
      if (!options_.recovers) throw;
      recover(error.what());
    } catch (const UnavailableError& error) {
      if (!options_.recovers) throw;
      recover(error.what());
    }
  }
}

void MonitoredSession::recover(std::string message) {
  for (;;) {
    logging::info(format(
        "An error was raised. This may be due to a preemption in a connected worker or parameter "
        "server. The current session will be closed and a new session will be created. Error: {}",
        message));
    session_.input().restart();
    session_.forget_programs();
    const std::optional<std::string> failure = try_to_create();
    if (!failure) return;
    message = *failure;
    std::this_thread::sleep_for(kRetryPause);
  }
}

std::optional<RunResult> MonitoredSession::run_once(const std::vector<Fetch>& fetches) {
  const int64_t global_step = session_.global_step();
  const int64_t planned = plan_steps(global_step);
  SessionRunContext context(session_, planned, options_.steps_per_execution != nullptr);
  std::vector<Fetch> all = fetches;
  std::vector<std::pair<size_t, Fetches>> of_hooks;  // position of its first fetch
  Feeds feeds;
  std::set<std::string> fed;
  for (const HookPtr& hook : options_.hooks) {
    SessionRunArgs args = hook->before_run(context);
    for (auto& [name, value] : args.feeds) {
      if (!fed.insert(name).second) {
        throw RuntimeError("Same tensor is fed by two hooks. Conflict(s): ['{}:0']", name);
      }
      feeds.emplace_back(name, std::move(value));
    }
    of_hooks.emplace_back(all.size(), args.fetches);
    for (const auto& [name, fetch] : args.fetches) all.push_back(fetch);
  }

  const double start = now();
  RunResult result = session_.run_steps(planned, all, feeds, global_step + planned);
  if (result.steps == 0) {
    should_stop_ = true;
    return std::nullopt;
  }
  const double seconds = now() - start;
  if (seconds > 0) steps_per_second_ = static_cast<double>(result.steps) / seconds;
  if (options_.on_execution) options_.on_execution(seconds, result.steps);

  for (size_t i = 0; i < options_.hooks.size(); ++i) {
    SessionRunValues values{.steps = result.steps};
    const auto& [first, names] = of_hooks[i];
    for (size_t k = 0; k < names.size(); ++k)
      values.results.emplace_back(names[k].first, result.values[first + k]);
    options_.hooks[i]->after_run(context, values);
  }
  if (context.stop_requested()) should_stop_ = true;
  result.values.resize(fetches.size());
  return result;
}

void MonitoredSession::close() {
  const auto fail = [](const Error& error) {
    throw UnavailableError(
        "A process was lost after the last step, while hooks ended, so the last checkpoint may be "
        "of an earlier step. Start the training again: it goes on from there. Error: {}",
        error.what());
  };
  try {
    for (const HookPtr& hook : options_.hooks) hook->end(session_);
  } catch (const AbortedError& error) {
    fail(error);
  } catch (const UnavailableError& error) {
    fail(error);
  }
}

}  // namespace antler::estimator
