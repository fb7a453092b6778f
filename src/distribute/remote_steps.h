#pragma once

#include <cstddef>
#include <vector>

#include "antler/core/nest.h"
#include "antler/runtime/function.h"

namespace antler::distribute {

/// Runs the steps of a training loop in other processes.
class RemoteSteps {
 public:
  virtual ~RemoteSteps() = default;
  /// Traces the function for batches like `example`, whose values are not read.
  virtual void prepare(const Function& function, const Nest& example) = 0;
  /// Schedules a step on each of these batches, in order, in some process. Usually returns before
  /// they have run, but waits if many steps are pending. Throws the error of an earlier step.
  virtual void schedule(const Function& function, std::vector<Nest> batches) = 0;
  /// Waits for all steps. Throws their first error.
  virtual void join() = 0;
};

/// The processes of a strategy that runs steps elsewhere.
class RemoteProcesses : public RemoteSteps {
 public:
  /// Schedules `function(batch)` in some process, for take_results(). May wait, as schedule() does.
  virtual void schedule_result(const Function& function, Nest batch) = 0;
  /// The available results that have not been taken yet; after join(), all of them. There is one
  /// result per scheduled function, even if the function had to run several times.
  virtual std::vector<Nest> take_results() = 0;
};

}  // namespace antler::distribute
