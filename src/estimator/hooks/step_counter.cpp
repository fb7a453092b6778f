#include <cstdio>

#include "antler/base/error.h"
#include "antler/base/logging.h"
#include "antler/estimator/hooks.h"
#include "antler/estimator/summary_writer.h"
#include "estimator/graph_messages.h"
#include "estimator/hooks/cadence.h"

namespace antler::estimator {
namespace {

constexpr const char* kStepRate = "global_step/sec";
constexpr const char* kExampleRate = "examples/sec";
constexpr int64_t kMostWarnings = 5;

/// "NAME: 123.456", in C's %g format.
void log_rate(const char* name, double rate) {
  char text[64];
  std::snprintf(text, sizeof text, "%g", rate);
  logging::info(format("{}: {}", name, text));
}

SecondOrStepTimer checked_cadence(const StepCounterHookOptions& options) {
  if (options.every_n_steps.has_value() == options.every_n_secs.has_value())
    throw ValueError("exactly one of every_n_steps and every_n_secs should be provided.");
  return {options.every_n_secs, options.every_n_steps};
}

}  // namespace

StepCounterHook::StepCounterHook(const StepCounterHookOptions& options)
    : options_(options), timer_(checked_cadence(options)), writer_(options.summary_writer) {}

void StepCounterHook::begin() {
  if (!writer_ && !options_.output_dir.empty()) writer_ = SummaryWriter::of(options_.output_dir);
}

void StepCounterHook::after_create_session(Session& session) {
  // TensorFlow writes the graph into every event file of a folder.
  if (writer_ && !options_.summary_writer) write_graph_once(*writer_, session.graph());
}

SessionRunArgs StepCounterHook::before_run(SessionRunContext& context) {
  step_before_ = context.session().global_step();
  return {};
}

void StepCounterHook::after_run(SessionRunContext& context, const SessionRunValues& /*values*/) {
  const int64_t step = context.session().global_step();
  if (timer_.should_trigger_for_step(step)) {
    const auto elapsed = timer_.update_last_triggered_step(step);
    if (elapsed) report(elapsed->steps, elapsed->secs, step);
  }
  if (last_step_before_ == step_before_ && warnings_ < kMostWarnings) {
    ++warnings_;
    logging::warning(
        format("It seems that global step (tf.train.get_global_step) has not been increased. "
               "Current value (could be stable): {} vs previous value: {}. You could increase the "
               "global step by passing tf.train.get_global_step() to Optimizer.apply_gradients or "
               "Optimizer.minimize.",
               step_before_, step_before_));
  }
  last_step_before_ = step_before_;
}

int64_t StepCounterHook::steps_until_run(int64_t global_step) const {
  return steps_until(timer_, global_step);
}

void StepCounterHook::report(int64_t elapsed_steps, double elapsed_secs, int64_t global_step) {
  const double rate = static_cast<double>(elapsed_steps) / elapsed_secs;
  if (writer_) writer_->scalar(kStepRate, rate, global_step);
  log_rate(kStepRate, rate);
}

ExamplesPerSecondHook::ExamplesPerSecondHook(int64_t batch_size,
                                             const StepCounterHookOptions& options)
    : StepCounterHook(options), batch_size_(batch_size) {}

void ExamplesPerSecondHook::report(int64_t elapsed_steps, double elapsed_secs,
                                   int64_t global_step) {
  const double rate = static_cast<double>(elapsed_steps) / elapsed_secs;
  const double examples = rate * static_cast<double>(batch_size_);
  if (writer()) {
    writer()->scalar(kStepRate, rate, global_step);
    writer()->scalar(kExampleRate, examples, global_step);
  }
  log_rate(kStepRate, rate);
  log_rate(kExampleRate, examples);
}

}  // namespace antler::estimator
