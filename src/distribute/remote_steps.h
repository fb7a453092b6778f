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
  /// Has some process run a step on each of these batches, in order. May return before it has, and
  /// waits if much is left to do. Throws the error of an earlier step.
  virtual void schedule(const Function& function, std::vector<Nest> batches) = 0;
  /// Waits for all steps. Throws their first error.
  virtual void join() = 0;
};

/// The processes of a strategy that runs steps elsewhere.
class RemoteProcesses : public RemoteSteps {
 public:
  /// Has some process compute `function(batch)`, for take_results(). May wait, as schedule().
  virtual void schedule_result(const Function& function, Nest batch) = 0;
  /// The results that are there and were not taken; after join() all of them. Each function gives
  /// one, however often it was run.
  virtual std::vector<Nest> take_results() = 0;
};

}  // namespace antler::distribute
