#include "antler/runtime/function.h"

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/runtime/config.h"

namespace antler {
namespace {

/// The cache key: equal for arguments that can share a program.
std::string signature(const Nest& arguments) {
  std::string key = arguments.structure();
  for (const Tensor& t : arguments.flatten()) {
    if (t.defined()) key += format(";{}{}", dtype_name(t.dtype()), t.shape());
  }
  return key;
}

Tensors defined_leaves(const Nest& nest) {
  Tensors leaves = nest.flatten();
  std::erase_if(leaves, [](const Tensor& t) { return !t.defined(); });
  return leaves;
}

/// The inverse of defined_leaves(): `structure` with its defined leaves replaced, in order.
Nest pack_defined(const Nest& structure, const Tensors& leaves) {
  size_t next = 0;
  return structure.map([&](const Tensor& t) { return t.defined() ? leaves[next++] : Tensor(); });
}

std::atomic<int64_t (*)()> g_variant = nullptr;

struct Compiled {
  std::shared_ptr<Program> program;
  Nest outputs;  // structure; leaves are the traced tensors
};

}  // namespace

struct Function::State {
  Body body;
  FunctionOptions options;
  std::mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<const Compiled>> programs;
  int64_t traces = 0;

  static std::string key_of(const Nest& arguments) {
    std::string key = signature(arguments);
    if (int64_t(*const variant)() = g_variant) key += format("|{}", variant());
    return key;
  }

  std::shared_ptr<const Compiled> compiled_for(const Nest& arguments) {
    std::string key = key_of(arguments);
    // Held while compiling, so that a signature is never compiled twice.
    const std::lock_guard lock(mutex);
    if (const auto it = programs.find(key); it != programs.end()) return it->second;
    Nest outputs;
    ir::Graph graph = trace(arguments, outputs);
    // A group of workers may change while the first trace creates variables in all of them.
    for (std::string now = key_of(arguments); now != key; now = key_of(arguments)) {
      key = std::move(now);
      graph = trace(arguments, outputs);
    }
    auto compiled = std::make_shared<Compiled>();
    compiled->program = std::make_shared<Program>(
        std::move(graph), ProgramOptions{.name = options.name, .jit_compile = options.jit_compile});
    compiled->outputs = std::move(outputs);
    programs.insert_or_assign(key, compiled);
    return compiled;
  }

  /// Requires the lock.
  ir::Graph trace(const Nest& arguments, Nest& outputs) {
    ++traces;
    ir::TraceSuspension suspension;  // may be called while another function is traced
    ir::Tracer tracer;
    const Nest symbolic = arguments.map(
        [&](const Tensor& t) { return t.defined() ? tracer.input(t.spec()) : Tensor(); });
    outputs = body(symbolic);
    return tracer.finish(defined_leaves(outputs)).graph;
  }
};

void set_function_variant(int64_t (*variant)()) { g_variant = variant; }

Function::Function(Body body, FunctionOptions options) : state_(std::make_shared<State>()) {
  initialize_runtime();
  state_->body = std::move(body);
  state_->options = std::move(options);
}

Nest Function::operator()(const Nest& arguments) const {
  // Inside another trace the body is inlined, as in tf.function.
  if (ir::Tracer::current() != nullptr || config::run_functions_eagerly() ||
      state_->options.run_eagerly)
    return state_->body(arguments);
  const auto compiled = state_->compiled_for(arguments);
  return pack_defined(compiled->outputs, compiled->program->run(defined_leaves(arguments)));
}

Function::Specialization Function::specialize(const Nest& example) const {
  Specialization result;
  result.state_ = state_;
  result.example_ = example.map(
      [](const Tensor& t) { return t.defined() ? Tensor::spec_only(t.spec()) : Tensor(); });
  if (!config::run_functions_eagerly() && !state_->options.run_eagerly)
    result.compiled_ = state_->compiled_for(example);
  return result;
}

int64_t Function::Specialization::run(int64_t n, BatchFeed& feed, Nest& outputs,
                                      const StepOutputs& each_step, int64_t period) const {
  if (compiled_ == nullptr) {  // run eagerly
    int64_t done = 0;
    for (; done < n; ++done) {
      const Nest batch = example_.map([](const Tensor& t) {
        return t.defined() ? Tensor::empty(t.dtype(), t.shape()) : Tensor();
      });
      std::vector<void*> buffers;
      for (const Tensor& t : defined_leaves(batch)) buffers.push_back(t.mutable_data());
      if (!feed.fill(buffers)) break;
      outputs = state_->body(batch);
      if (each_step && (period <= 1 || (done + 1) % period == 0)) each_step(outputs);
    }
    return done;
  }
  const auto& compiled = *static_cast<const Compiled*>(compiled_.get());
  Tensors leaves;
  Program::StepOutputs each;
  if (each_step)
    each = [&](const Tensors& values) { each_step(pack_defined(compiled.outputs, values)); };
  const int64_t done = compiled.program->run(n, feed, leaves, each, period);
  if (done > 0) outputs = pack_defined(compiled.outputs, leaves);
  return done;
}

Program& Function::Specialization::program() const {
  if (compiled_ == nullptr) throw RuntimeError("A function that runs eagerly has no program.");
  return *static_cast<const Compiled*>(compiled_.get())->program;
}

Function::Trace Function::trace(const Nest& example) const {
  const std::lock_guard lock(state_->mutex);
  Trace result;
  result.graph = std::make_shared<const ir::Graph>(state_->trace(example, result.outputs));
  return result;
}

int64_t Function::trace_count() const {
  const std::lock_guard lock(state_->mutex);
  return state_->traces;
}

Function tf::function(std::function<Tensors(const Tensors&)> body, FunctionOptions options) {
  return Function(
      [body = std::move(body)](const Nest& arguments) { return Nest(body(arguments.flatten())); },
      std::move(options));
}

Function tf::function(Function::Body body, FunctionOptions options) {
  return Function(std::move(body), std::move(options));
}

}  // namespace antler
