#include <chrono>
#include <thread>

#include "antler/base/logging.h"
#include "antler/estimator/hooks.h"

namespace antler::estimator {

GlobalStepWaiterHook::GlobalStepWaiterHook(int64_t wait_until_step)
    : wait_until_step_(wait_until_step) {}

SessionRunArgs GlobalStepWaiterHook::before_run(SessionRunContext& context) {
  constexpr std::chrono::milliseconds kPoll{500};
  if (done_) return {};
  if (wait_until_step_ > 0)
    logging::info(format("Waiting for global step {} before starting training.", wait_until_step_));
  while (context.session().global_step() < wait_until_step_) std::this_thread::sleep_for(kPoll);
  done_ = true;
  return {};
}

int64_t GlobalStepWaiterHook::steps_until_run(int64_t /*global_step*/) const {
  return done_ ? kNever : 1;
}

}  // namespace antler::estimator
