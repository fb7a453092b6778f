#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "antler/core/tensor.h"
#include "compiler/plan.h"
#include "runtime/cpu/jit/jit.h"
#include "runtime/cpu/library_kernel.h"

namespace antler::runtime {

/// A plan and its generated code, shared by all instances of a program.
struct CompiledPlan {
  compiler::Plan plan;
  std::vector<jit::Kernel> loops;  ///< one per loop kernel of the plan, in order
  std::string name;                ///< of the program, for messages and profiles
  jit::StepFn step = nullptr;      ///< not null: the whole program is one native function
  KernelContext context;
};

/// Generates the code of the loop kernels.
std::shared_ptr<const CompiledPlan> compile_plan(std::string name, compiler::Plan plan,
                                                 const KernelContext& context);

/// Buffers and prepared kernels for one caller's thread. bind_*() set addresses; step() runs all
/// kernels once.
class Instance {
 public:
  explicit Instance(std::shared_ptr<const CompiledPlan> compiled);

  void bind_argument(size_t index, void* data) { bind(arguments_[index], data); }
  void bind_result(size_t index, void* data) { bind(results_[index], data); }
  void bind_state(size_t index, void* data) { bind(states_[index], data); }
  void step();
  /// Whether a library kernel opens its own OpenMP regions.
  bool starts_threads() const;

  /// Scratch memory shared by the library kernels, and the memory that each of them allocated.
  int64_t workspace_bytes() const;
  /// All memory that this instance allocated.
  int64_t own_bytes() const { return compiled_->plan.memory.arena + workspace_bytes(); }
  const compiler::Plan& plan() const { return compiled_->plan; }

 private:
  struct Step {
    enum class Kind : uint8_t { loop, library, copy };
    Kind kind;
    const jit::Kernel* loop = nullptr;
    LibraryKernel* library = nullptr;
    size_t bytes = 0;
    void** buffers = nullptr;
  };
  /// All pointers into one argument, result or state.
  struct Binding {
    std::vector<void**> pointers;
    std::vector<int64_t> offsets;
    void* bound = nullptr;  ///< the address last bound
  };
  /// Consecutive steps that run under one team, or without one.
  struct StepRange {
    size_t begin;
    size_t end;
    bool has_team;
  };
  static void bind(Binding& binding, void* data);
  void find_step_ranges();
  void run(const Step& step) const;
  /// Calls each(step) for all steps in order.
  template <class Each>
  void for_each_step(const Each& each);
  void profiled_step();
  void register_value(ir::ValueId value, void** pointer);

  std::shared_ptr<const CompiledPlan> compiled_;
  std::shared_ptr<Buffer> arena_;
  std::shared_ptr<Buffer> scratch_;
  int64_t scratch_bytes_ = 0;
  std::vector<std::unique_ptr<LibraryKernel>> libraries_;
  std::vector<void*> addresses_;
  std::vector<Step> steps_;
  std::vector<StepRange> step_ranges_;
  std::vector<Binding> arguments_;
  std::vector<Binding> results_;
  std::vector<Binding> states_;
  int threads_;
};

/// Kernel of a control flow node (while, cond, scan). Each of its regions is compiled to a plan.
std::unique_ptr<LibraryKernel> make_region_kernel(const ir::Graph& graph, const ir::Node& node,
                                                  const KernelContext& context);
bool is_region_op(const ir::OpDef& op);

/// Options for compiler::compile under the current configuration.
compiler::CompileOptions compile_options(const std::string& name, bool fuse);

}  // namespace antler::runtime
