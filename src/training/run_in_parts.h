#pragma once

#include <algorithm>
#include <cstdint>

#include "antler/core/nest.h"
#include "antler/runtime/function.h"

namespace antler::training {

/// Runs up to `n` steps by calls of `part(count, each_step)`, each of which runs up to `count`
/// steps and returns how many: 0 ends the run. `each_step` is called after every `period` steps of
/// the whole run, wherever a part ends.
template <class Part>
int64_t run_in_parts(int64_t n, const Nest& outputs, const Function::StepOutputs& each_step,
                     int64_t period, const Part& part) {
  int64_t done = 0;
  while (done < n) {
    const int64_t unreported = period > 0 ? done % period : 0;
    const int64_t missing = period - unreported;  // until the next report
    const int64_t steps =
        unreported == 0 ? part(n - done, each_step) : part(std::min(n - done, missing), {});
    if (steps == 0) break;
    done += steps;
    if (each_step && unreported > 0 && steps == missing) each_step(outputs);
  }
  return done;
}

}  // namespace antler::training
