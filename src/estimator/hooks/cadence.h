#pragma once

#include <algorithm>
#include <cstdint>

#include "antler/estimator/session_run_hook.h"
#include "antler/estimator/timer.h"

namespace antler::estimator {

/// The number of steps after `step` until a timer triggers next, at least one;
/// SessionRunHook::kNever for a timer that depends on the clock or never triggers.
inline int64_t steps_until(const SecondOrStepTimer& timer, int64_t step) {
  if (!timer.every_steps()) return SessionRunHook::kNever;
  if (!timer.last_triggered_step()) return 1;
  return std::max<int64_t>(*timer.last_triggered_step() + *timer.every_steps() - step, 1);
}

}  // namespace antler::estimator
