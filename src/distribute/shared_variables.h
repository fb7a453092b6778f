#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/core/variable.h"
#include "antler/ir/graph.h"
#include "antler/runtime/program.h"

namespace antler::distribute {

/// The batches of a SharedProgram.
class StepArguments {
 public:
  virtual ~StepArguments() = default;
  /// The arguments of the next step, without consuming them; empty at the end of the data, or if
  /// their shapes do not match the program.
  virtual Tensors peek() = 0;
  virtual void consume() = 0;
};

/// A compiled step that reads and updates shared variables.
class SharedProgram {
 public:
  virtual ~SharedProgram() = default;
  /// Like Program::run(). Runs at least one step; ends before a later one if all processes together
  /// have brought the counter to `until`. Throws UnavailableError if a process that holds variables
  /// is lost or has been restarted; see SharedVariables::release().
  virtual int64_t run(int64_t n, int64_t until, StepArguments& arguments, Tensors& outputs,
                      const Program::StepOutputs& each_step) = 0;
};

/// The variables of a strategy whose processes all run the same program. Each process runs its own
/// steps at its own pace, on variables that other processes hold (TensorFlow's between-graph
/// replication with parameter servers). Variables are identified by their names.
class SharedVariables {
 public:
  using Named = std::vector<std::pair<std::string, Variable>>;

  virtual ~SharedVariables() = default;
  /// The role of a task "ps": holds variables. Does not return.
  virtual void serve() const = 0;
  /// The role of the chief: from now on, the servers hold these variables, which were made in the
  /// scope of the strategy. Sends them the values. Throws UnavailableError and
  /// DeadlineExceededError if a server cannot be reached, and ValueError for a variable that was
  /// made elsewhere.
  virtual void create(const Named& variables) const = 0;
  /// Waits until the chief has called create(); then the servers hold these variables. Throws
  /// DeadlineExceededError after `seconds`, and ValueError for a variable of another shape or one
  /// that was made elsewhere.
  virtual void find(const Named& variables, double seconds) const = 0;
  /// Leaves the servers after one of them was lost: until the next create() or find(), the
  /// variables belong to this process. Programs that were compiled before are no longer usable.
  virtual void release() const = 0;
  /// Compiles a step; call it after create() or find(). Variables of the graph that are not shared
  /// stay in this process. `counter` is the variable that counts steps.
  virtual std::unique_ptr<SharedProgram> compile(ir::Graph graph, const Variable& counter,
                                                 const std::string& name) const = 0;
};

}  // namespace antler::distribute
