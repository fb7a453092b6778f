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

/// The parts of a compiled program that all its instances share: the plan and its generated code.
struct CompiledPlan {
  compiler::Plan plan;
  std::vector<jit::Kernel> loops;  ///< one per loop kernel of the plan, in order
  std::string name;                ///< of the program, for people
  jit::StepFn step = nullptr;      ///< set when the whole program is one native function
  KernelContext context;
};

/// Compiles the loops of a plan.
std::shared_ptr<const CompiledPlan> compile_plan(std::string name, compiler::Plan plan,
                                                 const KernelContext& context);

/// Buffers and prepared kernels for one thread of execution of a plan. bind_*() set addresses;
/// step() runs all kernels once and does nothing else.
class Instance {
 public:
  explicit Instance(std::shared_ptr<const CompiledPlan> compiled);

  void bind_argument(size_t index, void* data) { bind(argument_sites_[index], data); }
  void bind_result(size_t index, void* data) { bind(result_sites_[index], data); }
  void bind_state(size_t index, void* data) { bind(state_sites_[index], data); }
  void step();
  /// Whether a kernel shares out its work by threads that a library starts.
  bool starts_threads() const;

  /// Work space of the library kernels, together with what each of them keeps for itself.
  int64_t work_bytes() const;
  /// All that this instance allocated: arena and work space.
  int64_t own_bytes() const { return compiled_->plan.memory.arena + work_bytes(); }
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
  /// Every place that holds the address of one argument, result or state, and the address last
  /// bound.
  struct Site {
    std::vector<void**> places;
    std::vector<int64_t> offsets;
    void* bound = nullptr;
  };
  /// Neighbouring steps, which run under one team of threads or under none.
  struct Stretch {
    size_t begin;
    size_t end;
    bool has_team;
  };
  static void bind(Site& site, void* data);
  void find_stretches();
  void run(const Step& step) const;
  /// Calls each(step) for all steps in order.
  template <class Each>
  void for_each_step(const Each& each) const;
  /// step() with a clock around each kernel.
  void timed_step();
  void register_value(ir::ValueId value, void** place);

  std::shared_ptr<const CompiledPlan> compiled_;
  std::shared_ptr<Buffer> arena_;
  std::shared_ptr<Buffer> scratch_;
  int64_t scratch_bytes_ = 0;
  std::vector<std::unique_ptr<LibraryKernel>> libraries_;
  std::vector<void*> addresses_;
  std::vector<Step> steps_;
  std::vector<Stretch> stretches_;
  std::vector<Site> argument_sites_;
  std::vector<Site> result_sites_;
  std::vector<Site> state_sites_;
  int threads_;
};

/// Kernel of a control-flow node (while, cond, scan), which runs plans of its own for the regions.
std::unique_ptr<LibraryKernel> make_region_kernel(const ir::Graph& graph, const ir::Node& node,
                                                  const KernelContext& context);
bool is_region_op(const ir::OpDef& op);

/// Options for compiler::compile under the present configuration.
compiler::CompileOptions compile_options(const std::string& name, bool fuse);

}  // namespace antler::runtime
