#include "antler/runtime/program.h"

#include <mutex>
#include <utility>

#include "antler/base/error.h"
#include "antler/ir/graph.h"
#include "antler/runtime/config.h"
#include "antler/runtime/device.h"
#include "runtime/cpu/denormals.h"
#include "runtime/instance.h"

namespace antler {
namespace {

using runtime::Instance;

}  // namespace

std::string ProgramMemory::str() const {
  return format(
      "arguments {}\nstates    {}\nresults   {}\nconstants {}\narena     {}\nscratch   {}\n"
      "total     {}\n",
      arguments, states, results, constants, arena, scratch, total());
}

void runtime::check_arguments(std::span<const TensorSpec> inputs,
                              std::span<const Tensor> arguments) {
  if (arguments.size() != inputs.size()) {
    throw ValueError("The program takes {} arguments. Received: {}.", inputs.size(),
                     arguments.size());
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const TensorSpec& spec = inputs[i];
    if (!arguments[i].is_value() || !(arguments[i].spec() == spec)) {
      throw ValueError(
          "Argument {} of the program: expected a value of shape {} and dtype {}. Received: {}.", i,
          spec.shape, dtype_name(spec.dtype), arguments[i]);
    }
  }
}

struct Program::Impl {
  /// An instance and the buffers of one caller's thread.
  struct Worker {
    explicit Worker(const std::shared_ptr<const runtime::CompiledPlan>& compiled)
        : instance(compiled) {}
    Instance instance;
    Tensors results;                             // reused unless the caller still holds them
    std::vector<std::shared_ptr<Buffer>> batch;  // input buffers for feeds, allocated on first use
    std::vector<void*> batch_pointers;
    std::vector<void*> lent;  // the batch of a step: batch_pointers, or memory that the feed lends
    Tensors read_states;      // keeps read-only variables alive during a run
  };

  std::unique_ptr<runtime::DeviceProgram> device;  // if not null, all else is unused
  std::shared_ptr<const runtime::CompiledPlan> compiled;
  std::vector<TensorSpec> inputs;
  ProgramMemory memory;
  int threads = 1;
  std::mutex mutex;
  std::vector<std::unique_ptr<Worker>> idle;

  const ir::Graph& graph() const { return compiled->plan.graph; }

  std::unique_ptr<Worker> acquire() {
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) {
        auto worker = std::move(idle.back());
        idle.pop_back();
        return worker;
      }
    }
    return std::make_unique<Worker>(compiled);
  }

  void release(std::unique_ptr<Worker> worker) {
    worker->read_states.clear();
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(worker));
  }

  void bind_results(Worker& worker) const {
    const ir::Graph& g = graph();
    worker.results.resize(g.outputs.size());
    for (size_t i = 0; i < g.outputs.size(); ++i) {
      Tensor& result = worker.results[i];
      if (!result.defined() || result.impl().use_count() > 1) {
        const TensorSpec& spec = g.spec(g.outputs[i]);
        result = Tensor::empty(spec.dtype, spec.shape);
      }
      worker.instance.bind_result(i, result.mutable_data());
    }
  }

  void bind_states(Worker& worker) const {
    const ir::Graph& g = graph();
    for (size_t i = 0; i < g.states.size(); ++i) {
      const ir::StateSlot& slot = g.states[i];
      if (slot.output >= 0) {
        worker.instance.bind_state(i, slot.variable.exclusive_data());
      } else {
        worker.read_states.push_back(slot.variable.stored());
        worker.instance.bind_state(i, worker.read_states.back().mutable_data());
      }
    }
  }

  /// Sends the variables that the program wrote to the processes that hold them.
  void publish_states() const {
    for (const ir::StateSlot& slot : graph().states) {
      if (slot.output >= 0) slot.variable.publish();
    }
  }
};

Program::Program(ir::Graph graph, const ProgramOptions& options) : impl_(std::make_shared<Impl>()) {
  impl_->device = runtime::compile_for_device(graph, options);
  if (impl_->device != nullptr) return;
  const runtime::KernelContext context{.threads = config::threads(),
                                       .deterministic = config::deterministic()};
  compiler::Plan plan = compiler::compile(
      std::move(graph), runtime::compile_options(options.name, options.jit_compile));
  if (config::dump_sink()) config::dump_sink()(options.name, "plan", compiler::print(plan));
  impl_->compiled = runtime::compile_plan(options.name, std::move(plan), context);
  impl_->threads = context.threads;
  for (const ir::ValueId v : impl_->graph().inputs) impl_->inputs.push_back(impl_->graph().spec(v));
  auto worker = impl_->acquire();
  const compiler::MemoryPlan& m = impl_->compiled->plan.memory;
  impl_->memory = {m.arguments, m.states, m.results,
                   m.constants, m.arena,  worker->instance.workspace_bytes()};
  impl_->release(std::move(worker));
}

Program::~Program() = default;

Tensors Program::run(std::span<const Tensor> arguments) {
  if (impl_->device != nullptr) return impl_->device->run(arguments);
  runtime::check_arguments(impl_->inputs, arguments);
  auto worker = impl_->acquire();
  for (size_t i = 0; i < arguments.size(); ++i)
    worker->instance.bind_argument(i, arguments[i].mutable_data());
  impl_->bind_results(*worker);
  impl_->bind_states(*worker);
  {
    const runtime::ScopedFlushDenormals mode(impl_->threads);
    worker->instance.step();
  }
  impl_->publish_states();
  Tensors results = worker->results;
  impl_->release(std::move(worker));
  return results;
}

int64_t Program::run(int64_t n, BatchFeed& feed, Tensors& outputs, const StepOutputs& each_step,
                     int64_t period) {
  if (impl_->device != nullptr) return impl_->device->run(n, feed, outputs, each_step, period);
  const ir::Graph& g = impl_->graph();
  auto worker = impl_->acquire();
  if (worker->batch.empty()) {
    for (ir::ValueId v : g.inputs) {
      worker->batch.push_back(Buffer::allocate(runtime::bytes_of(g.spec(v))));
      worker->batch_pointers.push_back(worker->batch.back()->data());
    }
  }
  impl_->bind_results(*worker);
  impl_->bind_states(*worker);
  int64_t done = 0;
  Instance& instance = worker->instance;
  for (; done < n; ++done) {
    worker->lent = worker->batch_pointers;
    if (!feed.fill_or_lend(worker->lent)) break;
    for (size_t i = 0; i < worker->lent.size(); ++i) instance.bind_argument(i, worker->lent[i]);
    {
      const runtime::ScopedFlushDenormals mode(impl_->threads);  // not while the feed runs
      instance.step();
    }
    if (each_step && (period <= 1 || (done + 1) % period == 0)) each_step(worker->results);
  }
  impl_->publish_states();
  if (done > 0) outputs = worker->results;
  impl_->release(std::move(worker));
  return done;
}

const ProgramMemory& Program::memory_plan() const {
  return impl_->device != nullptr ? impl_->device->memory_plan() : impl_->memory;
}
std::string Program::plan_text() const {
  return impl_->device != nullptr ? impl_->device->plan_text()
                                  : compiler::print(impl_->compiled->plan);
}
int64_t Program::kernel_count() const {
  if (impl_->device != nullptr) return impl_->device->kernel_count();
  return static_cast<int64_t>(impl_->compiled->plan.kernels.size());
}

}  // namespace antler
