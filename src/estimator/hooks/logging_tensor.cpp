#include <algorithm>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/estimator/hooks.h"
#include "estimator/format_value.h"
#include "estimator/hooks/cadence.h"

namespace antler::estimator {
namespace {

SecondOrStepTimer timer_of(const LoggingTensorHookOptions& options) {
  const bool only_at_end = options.at_end && !options.every_n_iter && !options.every_n_secs;
  if (!only_at_end && options.every_n_iter.has_value() == options.every_n_secs.has_value()) {
    throw ValueError(
        "either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.");
  }
  if (options.every_n_iter && *options.every_n_iter <= 0) {
    throw ValueError("invalid every_n_iter={}.", *options.every_n_iter);
  }
  if (only_at_end) return {};
  return {options.every_n_secs, options.every_n_iter};
}

}  // namespace

LoggedTensors sorted_by_tag(LoggedTensors tensors) {
  std::stable_sort(tensors.begin(), tensors.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return tensors;
}

LoggingTensorHook::LoggingTensorHook(LoggedTensors tensors, const LoggingTensorHookOptions& options)
    : tensors_(std::move(tensors)), options_(options), timer_(timer_of(options)) {}

void LoggingTensorHook::begin() {
  timer_.reset();
  iterations_ = 0;
}

/// Whether to log after the last of the next iterations, which are counted from zero.
bool LoggingTensorHook::triggers(int64_t iterations) const {
  return timer_.should_trigger_for_step(iterations_ + iterations - 1);
}

SessionRunArgs LoggingTensorHook::before_run(SessionRunContext& context) {
  fetches_ = triggers(context.iterations(context.steps()));
  return fetches_ ? SessionRunArgs{.fetches = tensors_} : SessionRunArgs{};
}

void LoggingTensorHook::after_run(SessionRunContext& context, const SessionRunValues& values) {
  const int64_t iterations = context.iterations(values.steps);
  // The data may have ended before the step to be logged.
  const bool logs = fetches_ && triggers(iterations);
  iterations_ += iterations - 1;
  if (logs) log(values.results);
  ++iterations_;
}

void LoggingTensorHook::end(Session& session) {
  if (!options_.at_end) return;
  std::vector<Fetch> fetches;
  for (const auto& [tag, fetch] : tensors_) fetches.push_back(fetch);
  const std::vector<Tensor> results = session.run(fetches);
  std::vector<std::pair<std::string, Tensor>> values;
  for (size_t i = 0; i < results.size(); ++i) values.emplace_back(tensors_[i].first, results[i]);
  log(values);
}

int64_t LoggingTensorHook::steps_until_run(int64_t /*global_step*/) const {
  return steps_until(timer_, iterations_ - 1);
}

void LoggingTensorHook::log(const std::vector<std::pair<std::string, Tensor>>& values) {
  const auto elapsed = timer_.update_last_triggered_step(iterations_);
  if (options_.formatter) {
    logging::info(options_.formatter(values));
    return;
  }
  std::string line;
  for (const auto& [tag, value] : values) {
    line += format("{}{} = {}", line.empty() ? "" : ", ", tag, value_string(value));
  }
  if (elapsed) line += format(" ({:.3f} sec)", elapsed->secs);
  logging::info(line);
}

}  // namespace antler::estimator
