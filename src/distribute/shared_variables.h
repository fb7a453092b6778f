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
  /// The arguments of the next step, which are not consumed; none at the end of the data, or if
  /// they have other shapes than the program.
  virtual Tensors peek() = 0;
  virtual void consume() = 0;
};

/// A compiled step that reads and updates shared variables.
class SharedProgram {
 public:
  virtual ~SharedProgram() = default;
  /// Like Program::run(). Ends before a step, but the first one, if all processes together have
  /// brought the counter to `until`. Throws UnavailableError if a process that holds variables is
  /// lost, or has been started again; see SharedVariables::release().
  virtual int64_t run(int64_t n, int64_t until, StepArguments& arguments, Tensors& outputs,
                      const Program::StepOutputs& each_step) = 0;
};

/// The variables of a strategy whose processes all run the same program, each of them steps of its
/// own at its own pace, on variables that other processes hold (TensorFlow's between-graph
/// replication with parameter servers). They know variables by their names.
class SharedVariables {
 public:
  using Named = std::vector<std::pair<std::string, Variable>>;

  virtual ~SharedVariables() = default;
  /// Holds variables: the part of a task "ps". Does not return.
  virtual void serve() const = 0;
  /// Lets the servers hold these variables, which were made in the scope of the strategy, from now
  /// on, and sends their values: the part of the chief. Throws UnavailableError and
  /// DeadlineExceededError if a server cannot be reached, and ValueError for a variable that was
  /// made elsewhere.
  virtual void create(const Named& variables) const = 0;
  /// Waits until the chief has done so; then the servers hold these variables. Throws
  /// DeadlineExceededError after `seconds`, and ValueError for a variable of another shape, and for
  /// one that was made elsewhere.
  virtual void find(const Named& variables, double seconds) const = 0;
  /// Leaves the servers, one of which is lost: until the next create() or find(), the variables are
  /// this process's own. Programs that were compiled before are of no use any more.
  virtual void release() const = 0;
  /// Compiles a step; call it after create() or find(). Variables of the graph that are not shared
  /// stay in this process. `counter` is the variable that counts steps.
  virtual std::unique_ptr<SharedProgram> compile(ir::Graph graph, const Variable& counter,
                                                 const std::string& name) const = 0;
};

}  // namespace antler::distribute
