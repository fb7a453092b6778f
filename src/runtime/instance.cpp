#include "runtime/instance.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "antler/base/error.h"
#include "antler/runtime/config.h"
#include "base/clock.h"
#include "runtime/cpu/team.h"
#include "runtime/huge_pages.h"
#include "runtime/profile_session.h"

namespace antler::runtime {
namespace {

/// Opening a team costs as much as one OpenMP region, so it pays off with two or more parallel
/// kernels.
constexpr int kMinParallelSteps = 2;

/// Programs with less work (in loop points) become one native function on one thread: waking a
/// second thread costs more.
constexpr int64_t kTinyProgramWork = 1 << 16;

using compiler::PlanKernel;
using compiler::Slot;

bool is_tiny(const compiler::Plan& plan) {
  int64_t work = 0;
  for (const PlanKernel& kernel : plan.kernels) {
    if (kernel.kind != PlanKernel::Kind::loop) return false;
    work += kernel.nest.work();
  }
  return work < kTinyProgramWork;
}

}  // namespace

std::shared_ptr<const CompiledPlan> compile_plan(std::string name, compiler::Plan plan,
                                                 const KernelContext& context) {
  auto compiled = std::make_shared<CompiledPlan>();
  compiled->name = std::move(name);
  compiled->plan = std::move(plan);
  compiled->context = context;
  std::vector<const compiler::LoopNest*> nests;
  std::vector<std::vector<int>> buffer_ids;
  for (const PlanKernel& kernel : compiled->plan.kernels) {
    if (kernel.kind != PlanKernel::Kind::loop) continue;
    nests.push_back(&kernel.nest);
    buffer_ids.emplace_back(kernel.buffers.begin(), kernel.buffers.end());
  }
  if (nests.empty()) return compiled;
  jit::Compiler& compiler = jit::Compiler::instance();
  if (is_tiny(compiled->plan)) {
    compiled->step = compiler.compile_program(nests, buffer_ids);
  } else {
    compiled->loops = compiler.compile(nests);
  }
  return compiled;
}

Instance::Instance(std::shared_ptr<const CompiledPlan> compiled)
    : compiled_(std::move(compiled)), threads_(compiled_->context.threads) {
  const compiler::Plan& plan = compiled_->plan;
  arena_ = Buffer::allocate(static_cast<size_t>(plan.memory.arena));
  prefer_huge_pages(arena_->data(), arena_->bytes());
  arguments_.resize(plan.graph.inputs.size());
  results_.resize(plan.graph.outputs.size());
  states_.resize(plan.graph.states.size());

  if (compiled_->step != nullptr) {
    addresses_.assign(plan.graph.values.size(), nullptr);
    for (size_t v = 0; v < addresses_.size(); ++v)
      register_value(static_cast<ir::ValueId>(v), &addresses_[v]);
    return;
  }
  size_t count = 0;
  for (const PlanKernel& kernel : plan.kernels) count += kernel.buffers.size();
  addresses_.assign(count, nullptr);
  size_t next_address = 0;
  size_t next_loop = 0;
  for (const PlanKernel& kernel : plan.kernels) {
    Step step{};
    step.buffers = addresses_.data() + next_address;
    for (ir::ValueId v : kernel.buffers) register_value(v, &addresses_[next_address++]);
    switch (kernel.kind) {
      case PlanKernel::Kind::loop:
        step.kind = Step::Kind::loop;
        step.loop = &compiled_->loops[next_loop++];
        break;
      case PlanKernel::Kind::copy: {
        step.kind = Step::Kind::copy;
        step.bytes = bytes_of(plan.graph.spec(kernel.buffers[0]));
        break;
      }
      case PlanKernel::Kind::library: {
        step.kind = Step::Kind::library;
        const ir::Node& node = plan.graph.nodes[static_cast<size_t>(kernel.node)];
        libraries_.push_back(is_region_op(*node.op)
                                 ? make_region_kernel(plan.graph, node, compiled_->context)
                                 : make_library_kernel(plan.graph, node, compiled_->context));
        step.library = libraries_.back().get();
        scratch_bytes_ =
            std::max(scratch_bytes_, static_cast<int64_t>(step.library->scratch_bytes()));
        break;
      }
    }
    steps_.push_back(step);
  }
  scratch_ = Buffer::allocate(static_cast<size_t>(scratch_bytes_));
  for (const auto& library : libraries_) library->set_scratch(scratch_->data());
  find_step_ranges();
}

bool Instance::starts_threads() const {
  return std::any_of(libraries_.begin(), libraries_.end(),
                     [](const auto& library) { return library->starts_threads(); });
}

void Instance::find_step_ranges() {
  for (size_t i = 0; i < steps_.size(); ++i) {
    const LibraryKernel* const library = steps_[i].library;
    const bool has_team = threads_ > 1 && !(library != nullptr && library->starts_threads());
    if (step_ranges_.empty() || step_ranges_.back().has_team != has_team) {
      step_ranges_.push_back({i, i, has_team});
    }
    step_ranges_.back().end = i + 1;
  }
  for (StepRange& range : step_ranges_) {
    const auto is_parallel = [&](const Step& step) {
      return step.kind == Step::Kind::library ||
             (step.kind == Step::Kind::loop && jit::part_count(*step.loop, threads_) > 1);
    };
    const auto begin = steps_.begin();
    range.has_team =
        range.has_team && std::count_if(begin + static_cast<std::ptrdiff_t>(range.begin),
                                        begin + static_cast<std::ptrdiff_t>(range.end),
                                        is_parallel) >= kMinParallelSteps;
  }
}

int64_t Instance::workspace_bytes() const {
  int64_t bytes = scratch_bytes_;
  for (const auto& library : libraries_) bytes += library->own_bytes();
  return bytes;
}

void Instance::register_value(ir::ValueId value, void** pointer) {
  const compiler::Plan& plan = compiled_->plan;
  const Slot& slot = plan.slots[static_cast<size_t>(value)];
  const auto add = [&](std::vector<Binding>& bindings) {
    Binding& binding = bindings[static_cast<size_t>(slot.index)];
    binding.pointers.push_back(pointer);
    binding.offsets.push_back(slot.offset);
  };
  switch (slot.space) {
    case Slot::Space::none:
      break;
    case Slot::Space::argument:
      add(arguments_);
      break;
    case Slot::Space::result:
      add(results_);
      break;
    case Slot::Space::state:
      add(states_);
      break;
    case Slot::Space::constant: {
      // slot.index is the node of the constant. Views of a constant share its buffer.
      const ir::Node& node = plan.graph.nodes[static_cast<size_t>(slot.index)];
      *pointer = static_cast<char*>(node.attrs.get<Tensor>("value").mutable_data()) + slot.offset;
      break;
    }
    case Slot::Space::arena:
      *pointer = static_cast<char*>(arena_->data()) + slot.offset;
      break;
  }
}

void Instance::bind(Binding& binding, void* data) {
  if (binding.bound == data) return;
  binding.bound = data;
  for (size_t i = 0; i < binding.pointers.size(); ++i)
    *binding.pointers[i] = static_cast<char*>(data) + binding.offsets[i];
}

void Instance::run(const Step& step) const {
  switch (step.kind) {
    case Step::Kind::loop:
      jit::run_parallel(*step.loop, step.buffers, threads_);
      break;
    case Step::Kind::library:
      step.library->run(step.buffers);
      break;
    case Step::Kind::copy:
      std::memcpy(step.buffers[1], step.buffers[0], step.bytes);
      break;
  }
}

template <class Each>
void Instance::for_each_step(const Each& each) {
  for (StepRange& range : step_ranges_) {
    const std::optional<int> divided = Team::open(range.has_team ? threads_ : 1, [&] {
      for (size_t i = range.begin; i < range.end; ++i) each(steps_[i]);
    });
    // The sizes are those of the plan, so the next step will not need the threads either. Waking
    // them in vain costs most where other programs use the cores.
    if (divided && *divided < kMinParallelSteps) range.has_team = false;
  }
}

void Instance::step() {
  if (profiling()) {
    profiled_step();
  } else if (compiled_->step != nullptr) {
    compiled_->step(addresses_.data());
  } else {
    for_each_step([&](const Step& step) { run(step); });
  }
}

void Instance::profiled_step() {
  std::vector<double> stamps = {steady_seconds()};
  std::vector<const char*> implementations;
  if (compiled_->step != nullptr) {
    compiled_->step(addresses_.data());
    stamps.push_back(steady_seconds());
    implementations.push_back("one function");
  }
  for_each_step([&](const Step& step) {
    run(step);
    stamps.push_back(steady_seconds());
    implementations.push_back(step.kind == Step::Kind::loop      ? "loop"
                              : step.kind == Step::Kind::library ? step.library->name()
                                                                 : "copy");
  });
  record_step(compiled_, stamps, implementations);
}

compiler::CompileOptions compile_options(const std::string& name, bool fuse) {
  compiler::CompileOptions options;
  options.fuse = fuse;
  options.disabled_passes = config::disabled_passes();
  options.prefers_library = prefers_library;
  if (config::dump_sink()) {
    options.dump = [name](const std::string& stage, const std::string& text) {
      config::dump_sink()(name, stage, text);
    };
  }
  return options;
}

}  // namespace antler::runtime
