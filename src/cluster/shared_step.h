#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "antler/ir/graph.h"
#include "cluster/loaded_program.h"
#include "cluster/members.h"
#include "cluster/named_variables.h"
#include "distribute/shared_variables.h"

namespace antler::cluster {

/// A step that this process runs on variables that parameter servers hold.
class SharedStep final : public distribute::SharedProgram {
 public:
  /// Sends the servers their shares of the step.
  SharedStep(const Members& members, NamedVariables& variables, ir::Graph graph,
             const Variable& counter, const std::string& name);

  int64_t run(int64_t n, int64_t until, distribute::StepArguments& arguments, Tensors& outputs,
              const Program::StepOutputs& each_step) override;

 private:
  const Members& members_;
  const uint64_t session_;
  const uint64_t id_;
  std::shared_ptr<LoadedProgram> loaded_;
  size_t results_ = 0;
  int64_t counter_ = -1;  ///< its place among the values that a step reads; -1: it reads no counter
};

}  // namespace antler::cluster
