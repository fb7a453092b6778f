#include "runtime/cpu/jit/jit.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "antler/base/format.h"
#include "compiler/nest_shape.h"
#include "runtime/cpu/jit/engine.h"
#include "runtime/cpu/jit/lowering.h"
#include "runtime/cpu/team.h"

namespace antler::runtime::jit {

using compiler::LoopNest;

namespace {

/// Cycles of work that justify one more thread, about four times the cost of waking and joining it.
constexpr double kThreadCycles = 12000;
/// Average bandwidth of one thread from L2 or from another core's cache.
constexpr double kBytesPerCycle = 12;

/// Minimum number of iterations of a range, so that threads get nearly equal parts.
int64_t min_range_iterations() {
  return std::clamp<int64_t>(4 * static_cast<int64_t>(std::thread::hardware_concurrency()), 8, 64);
}

llvm::Function* make_function(llvm::Module& module, const std::string& name, bool with_range,
                              const TargetInfo& info) {
  llvm::LLVMContext& context = module.getContext();
  std::vector<llvm::Type*> arguments = {llvm::PointerType::getUnqual(context)};
  if (with_range) arguments.insert(arguments.end(), 2, llvm::Type::getInt64Ty(context));
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), arguments, false);
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module);
  function->setDoesNotThrow();
  // Otherwise LLVM halves the vectors on CPUs that are tuned for narrower ones.
  const std::string bits = std::to_string(info.vector_bytes * 8);
  function->addFnAttr("prefer-vector-width", bits);
  function->addFnAttr("min-legal-vector-width", bits);
  return function;
}

/// Loads the base pointers of a nest from the table of buffers.
std::vector<llvm::Value*> load_buffers(llvm::IRBuilder<>& b, llvm::Value* table,
                                       const std::vector<int>& ids) {
  std::vector<llvm::Value*> buffers;
  for (int id : ids) {
    llvm::Value* entry =
        b.CreateConstInBoundsGEP1_64(b.getPtrTy(), table, static_cast<uint64_t>(id));
    auto* load = b.CreateLoad(b.getPtrTy(), entry);
    // The table does not change while a kernel runs.
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
    buffers.push_back(load);
  }
  return buffers;
}

std::vector<int> buffer_ids_of(const LoopNest& nest) {
  std::vector<int> ids;
  for (size_t i = 0; i < nest.buffers.size(); ++i) ids.push_back(static_cast<int>(i));
  return ids;
}

}  // namespace

struct Compiler::State {
  explicit State(const CpuTarget& target) : engine(target) {}

  /// A nest that is ready for code generation.
  struct Job {
    LoopNest nest;
    LoopPlan plan;
    Range range;
    std::string name;
  };

  Job prepare(const LoopNest& nest) {
    Job job{nest, {}, {}, ""};
    compiler::merge_dimensions(job.nest);
    job.plan = plan_loops(job.nest, engine.info());
    job.range = choose_range(job.nest, job.plan, min_range_iterations());
    job.name = format("kernel{}", counter++);
    return job;
  }

  void emit_kernel(llvm::Module& module, const Job& job) const {
    llvm::Function* function = make_function(module, job.name, true, engine.info());
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(module.getContext(), "entry", function));
    const Gen g(b, module, engine.info());
    lower(g, job.nest, job.plan, load_buffers(b, function->getArg(0), buffer_ids_of(job.nest)),
          job.range, function->getArg(1), function->getArg(2));
    b.CreateRetVoid();
  }

  void emit_program(llvm::Module& module, const std::string& name, const std::vector<Job>& jobs,
                    std::span<const std::vector<int>> ids) const {
    llvm::Function* function = make_function(module, name, false, engine.info());
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(module.getContext(), "entry", function));
    const Gen g(b, module, engine.info());
    for (size_t i = 0; i < jobs.size(); ++i) {
      lower(g, jobs[i].nest, jobs[i].plan, load_buffers(b, function->getArg(0), ids[i]),
            jobs[i].range, nullptr, nullptr);
    }
    b.CreateRetVoid();
  }

  std::mutex mutex;
  Engine engine;
  std::unordered_map<std::string, Kernel> kernels;   ///< by printed nest
  std::unordered_map<std::string, StepFn> programs;  ///< by printed nests and buffer ids
  int64_t counter = 0;
};

Compiler::Compiler(const CpuTarget& target) : state_(std::make_unique<State>(target)) {}
Compiler::~Compiler() = default;

Compiler& Compiler::instance() {
  // Never destroyed: kernels may still run on other threads while the process ends.
  static auto* compiler = new Compiler(CpuTarget::host());
  return *compiler;
}

std::vector<Kernel> Compiler::compile(std::span<const LoopNest* const> nests) {
  std::vector<std::string> keys;
  for (const LoopNest* nest : nests) {
    compiler::verify(*nest);
    keys.push_back(compiler::print(*nest));
  }
  const std::lock_guard lock(state_->mutex);
  std::unordered_map<std::string, State::Job> jobs;
  for (size_t i = 0; i < nests.size(); ++i) {
    if (!state_->kernels.contains(keys[i]) && !jobs.contains(keys[i])) {
      jobs.emplace(keys[i], state_->prepare(*nests[i]));
    }
  }
  if (!jobs.empty()) {
    std::vector<Engine::Emit> functions;
    functions.reserve(jobs.size());
    for (const auto& entry : jobs) {
      const State::Job& job = entry.second;
      functions.push_back([this, &job](llvm::Module& module) { state_->emit_kernel(module, job); });
    }
    state_->engine.compile(functions);
  }
  for (const auto& [key, job] : jobs) {
    const int64_t range = job.range.iterations;
    const double cycles = std::max(job.plan.cycles, traffic_bytes(job.nest) / kBytesPerCycle);
    const double each = cycles / static_cast<double>(std::max<int64_t>(range, 1));
    const double grain = std::ceil(kThreadCycles / std::max(each, 1e-3));
    const auto function = reinterpret_cast<KernelFn>(state_->engine.find(job.name));
    state_->kernels[key] = {function, range, std::max<int64_t>(1, static_cast<int64_t>(grain))};
  }
  std::vector<Kernel> result;
  for (const std::string& key : keys) result.push_back(state_->kernels.at(key));
  return result;
}

StepFn Compiler::compile_program(std::span<const LoopNest* const> nests,
                                 std::span<const std::vector<int>> buffer_ids) {
  std::string key;
  for (size_t i = 0; i < nests.size(); ++i) {
    compiler::verify(*nests[i]);
    key += compiler::print(*nests[i]);
    for (int id : buffer_ids[i]) key += format("{} ", id);
  }
  const std::lock_guard lock(state_->mutex);
  const auto known = state_->programs.find(key);
  if (known != state_->programs.end()) return known->second;
  std::vector<State::Job> jobs;
  for (const LoopNest* nest : nests) jobs.push_back(state_->prepare(*nest));
  const std::string name = format("program{}", state_->counter++);
  const Engine::Emit emit = [&](llvm::Module& module) {
    state_->emit_program(module, name, jobs, buffer_ids);
  };
  state_->engine.compile({&emit, 1});
  const auto function = reinterpret_cast<StepFn>(state_->engine.find(name));
  state_->programs[key] = function;
  return function;
}

std::string Compiler::dump(const LoopNest& nest, bool assembly) {
  compiler::verify(nest);
  const std::lock_guard lock(state_->mutex);
  const State::Job job = state_->prepare(nest);
  return state_->engine.dump([&](llvm::Module& module) { state_->emit_kernel(module, job); },
                             assembly);
}

int part_count(const Kernel& kernel, int threads) {
  return static_cast<int>(std::clamp<int64_t>(kernel.range / std::max<int64_t>(kernel.grain, 1), 1,
                                              std::max(threads, 1)));
}

void run_parallel(const Kernel& kernel, void* const* buffers, int threads) {
  const int parts = part_count(kernel, threads);
  if (parts < 2) {
    kernel.fn(buffers, 0, kernel.range);
    return;
  }
  const int64_t range = kernel.range;
  Team::run(parts, [&](int part) {
    kernel.fn(buffers, range * part / parts, range * (part + 1) / parts);
  });
}

}  // namespace antler::runtime::jit
