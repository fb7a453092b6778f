#include <algorithm>

#include "antler/base/error.h"
#include "antler/estimator/hooks.h"

namespace antler::estimator {

StopAtStepHook::StopAtStepHook(const StopAtStepHookOptions& options)
    : num_steps_(options.num_steps), last_step_(options.last_step) {
  if (!num_steps_ && !last_step_)
    throw ValueError("One of num_steps or last_step must be specified.");
  if (num_steps_ && last_step_)
    throw ValueError("Only one of num_steps or last_step can be specified.");
}

void StopAtStepHook::after_create_session(Session& session) {
  if (!last_step_) last_step_ = session.global_step() + *num_steps_;
}

void StopAtStepHook::after_run(SessionRunContext& context, const SessionRunValues& /*values*/) {
  if (context.session().global_step() >= *last_step_) context.request_stop();
}

int64_t StopAtStepHook::steps_until_run(int64_t global_step) const {
  return last_step_ ? std::max<int64_t>(*last_step_ - global_step, 1) : 1;
}

}  // namespace antler::estimator
