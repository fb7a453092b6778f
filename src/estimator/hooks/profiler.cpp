#include "antler/runtime/profiler.h"

#include <filesystem>

#include "antler/base/logging.h"
#include "antler/estimator/hooks.h"
#include "antler/estimator/summary_writer.h"
#include "estimator/hooks/cadence.h"

namespace antler::estimator {

ProfilerHook::ProfilerHook(const ProfilerHookOptions& options)
    : options_(options), timer_(options.save_secs, options.save_steps) {
  if (options_.output_dir.empty()) options_.output_dir.push_back('.');
}

void ProfilerHook::begin() {
  next_step_.reset();
  // TensorFlow creates the file, too.
  SummaryWriter::of(options_.output_dir)->flush();
}

/// Whether to trace the last step of a run of this many steps.
bool ProfilerHook::triggers(int64_t steps) const {
  return next_step_ && timer_.should_trigger_for_step(*next_step_ + steps - 1);
}

SessionRunArgs ProfilerHook::before_run(SessionRunContext& context) {
  profiler_.reset();
  if (triggers(context.steps())) profiler_ = std::make_shared<Profiler>();
  return {};
}

void ProfilerHook::after_run(SessionRunContext& context, const SessionRunValues& values) {
  const int64_t step = context.session().global_step();
  if (!next_step_) {
    // Nothing is traced before the first N steps, or seconds, are over.
    timer_.update_last_triggered_step(step - values.steps);
  }
  if (profiler_) {
    const Profile profile = profiler_->stop();
    profiler_.reset();
    timer_.update_last_triggered_step(step);
    const std::string path =
        (std::filesystem::path(options_.output_dir) / format("timeline-{}.json", step)).string();
    logging::info(format("Saving timeline for {} into '{}'.", step, path));
    profile.write_trace(path);
  }
  next_step_ = step + 1;
}

int64_t ProfilerHook::steps_until_run(int64_t /*global_step*/) const {
  if (!next_step_) return 1;
  const int64_t steps = steps_until(timer_, *next_step_ - 1);
  // The traced step gets a separate run.
  return steps == kNever || steps == 1 ? steps : steps - 1;
}

}  // namespace antler::estimator
