#include "antler/training/steps_per_execution_tuner.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>
#include <utility>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/nn/optimizer.h"
#include "base/clock.h"

namespace antler {
namespace {

constexpr double kGrow = 1.5;
constexpr double kShrink = 0.5;
/// Larger values are not increased further.
constexpr double kLimit = static_cast<double>(std::numeric_limits<int64_t>::max()) / kGrow;

/// Python's round(), as used by Keras: 1.5 -> 2, 4.5 -> 4.
int64_t round_half_even(double value) { return static_cast<int64_t>(std::nearbyint(value)); }

/// A counter of `optimizer`'s iterations that another thread may call.
std::function<int64_t()> iterations_of(const Optimizer& optimizer,
                                       const StepsPerExecution& variable) {
  const auto at_start = static_cast<int64_t>(optimizer.iterations().stored().item());
  return
      [base = at_start - variable.steps_done(), variable] { return base + variable.steps_done(); };
}

}  // namespace

struct StepsPerExecutionTuner::State {
  /// Creates the iteration counter in start(), on the caller's thread.
  std::function<std::function<int64_t()>()> bind_iterations;

  mutable std::mutex mutex;  // guards the fields up to `count`
  std::condition_variable wake;
  bool stop = false;
  double start_time = 0;
  int64_t init_spe = 1;
  int64_t last_iteration = 0;
  double last_time = 0;
  std::deque<double> rates;  ///< iterations per second, newest last
  double previous_average = 0;
  bool last_action_add = true;
  int64_t count = 0;

  std::mutex lifecycle;  // guards `starts` and `thread`
  int64_t starts = 0;
  std::thread thread;
};

StepsPerExecutionTuner::StepsPerExecutionTuner(std::function<int64_t()> iterations,
                                               StepsPerExecution variable, Options options)
    : options_(std::move(options)),
      variable_(std::move(variable)),
      iterations_(std::move(iterations)),
      state_(std::make_unique<State>()) {
  if (!(options_.interval > 0) || !std::isfinite(options_.interval)) {
    throw ValueError(
        "StepsPerExecutionTuner: `interval` must be a positive number of seconds. Received: "
        "interval={}",
        options_.interval);
  }
  if (options_.change_spe_interval <= 0) {
    throw ValueError(
        "StepsPerExecutionTuner: `change_spe_interval` must be positive. Received: "
        "change_spe_interval={}",
        options_.change_spe_interval);
  }
  if (!(options_.change_threshold >= 0)) {
    throw ValueError(
        "StepsPerExecutionTuner: `change_threshold` must not be negative. Received: "
        "change_threshold={}",
        options_.change_threshold);
  }
  if (!options_.clock) options_.clock = steady_seconds;
  state_->init_spe = variable_.value();
}

StepsPerExecutionTuner::StepsPerExecutionTuner(const Optimizer& optimizer,
                                               StepsPerExecution variable, Options options)
    : StepsPerExecutionTuner(std::function<int64_t()>(), std::move(variable), std::move(options)) {
  state_->bind_iterations = [optimizer = optimizer.share(), variable = variable_] {
    return iterations_of(*optimizer, variable);
  };
}

StepsPerExecutionTuner::~StepsPerExecutionTuner() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->wake.notify_all();
  if (state_->thread.joinable()) state_->thread.join();
}

void StepsPerExecutionTuner::restart_measurements() {
  if (state_->bind_iterations) iterations_ = state_->bind_iterations();
  const std::lock_guard lock(state_->mutex);
  State& s = *state_;
  s.stop = false;
  s.start_time = options_.clock();
  s.init_spe = variable_.value();
  s.last_iteration = iterations_();
  s.last_time = s.start_time;
  s.rates.clear();
  s.previous_average = 0;
  s.last_action_add = true;
  s.count = 0;
}

void StepsPerExecutionTuner::start() {
  const std::lock_guard lifecycle(state_->lifecycle);
  if (state_->starts == 0) {
    restart_measurements();
    state_->thread = std::thread([this] { run(); });
  }
  ++state_->starts;
}

void StepsPerExecutionTuner::stop() {
  const std::lock_guard lifecycle(state_->lifecycle);
  if (state_->starts == 0 || --state_->starts > 0) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->wake.notify_all();
  state_->thread.join();
}

void StepsPerExecutionTuner::run() {
  const auto interval = std::chrono::duration<double>(options_.interval);
  for (;;) {
    try {
      measure_and_tune();
    } catch (const std::exception& error) {
      logging::warning(format("steps_per_execution was not tuned: {}", error.what()));
    }
    std::unique_lock lock(state_->mutex);
    if (state_->wake.wait_for(lock, interval, [this] { return state_->stop; })) return;
  }
}

void StepsPerExecutionTuner::measure_and_tune() {
  const std::lock_guard lock(state_->mutex);
  State& s = *state_;
  const int64_t iteration = iterations_();
  const double now = options_.clock();
  const double seconds = now - s.last_time;
  // The counter decreases when weights are loaded.
  const double done = static_cast<double>(std::max<int64_t>(iteration - s.last_iteration, 0));
  const double rate = done / seconds;
  if (!(seconds > 0) || !std::isfinite(rate)) return;
  ++s.count;
  s.rates.push_back(rate);
  while (std::ssize(s.rates) > options_.change_spe_interval) s.rates.pop_front();
  if (iteration == 0) {
    s.start_time = now;
    return;
  }
  s.last_iteration = iteration;
  s.last_time = now;
  // A rate of 0 means that the loop is between epochs or validating.
  if (s.count % options_.change_spe_interval != 0 || rate == 0) return;

  const double average =
      std::accumulate(s.rates.begin(), s.rates.end(), 0.0) / static_cast<double>(s.rates.size());
  const int64_t current = variable_.value();
  const auto scaled = static_cast<double>(current);
  double next = scaled;
  if (average > (1 + options_.change_threshold) * s.previous_average) {
    next = scaled * (s.last_action_add ? kGrow : kShrink);
  } else if (average < (1 - options_.change_threshold) * s.previous_average) {
    next = scaled * (s.last_action_add ? kShrink : kGrow);
    s.last_action_add = !s.last_action_add;
  }
  s.previous_average = average;
  if (scaled >= kLimit) return;
  if (current <= 0) next = static_cast<double>(s.init_spe);
  const int64_t chosen = std::max<int64_t>(round_half_even(next), 1);
  if (chosen != current) variable_.assign(chosen);
}

void StepsPerExecutionTuner::set_steps_per_execution(int64_t value) {
  const std::lock_guard lock(state_->mutex);
  variable_.assign(value);
  state_->init_spe = value;
}

bool StepsPerExecutionTuner::stopped() const {
  const std::lock_guard lock(state_->mutex);
  return state_->stop;
}
bool StepsPerExecutionTuner::running() const {
  const std::lock_guard lock(state_->lifecycle);
  return state_->starts > 0;
}
double StepsPerExecutionTuner::start_time() const {
  const std::lock_guard lock(state_->mutex);
  return state_->start_time;
}
int64_t StepsPerExecutionTuner::init_spe() const {
  const std::lock_guard lock(state_->mutex);
  return state_->init_spe;
}
int64_t StepsPerExecutionTuner::spe_measurement_count() const {
  const std::lock_guard lock(state_->mutex);
  return state_->count;
}

}  // namespace antler
