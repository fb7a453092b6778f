#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "antler/core/feed.h"
#include "antler/core/tensor.h"
#include "antler/ir/graph.h"

namespace antler {

/// Bytes that a program uses, exact before it runs.
struct ProgramMemory {
  int64_t arguments = 0;  ///< input buffers of one batch
  int64_t states = 0;     ///< variables (they exist anyway)
  int64_t results = 0;
  int64_t constants = 0;
  int64_t arena = 0;    ///< peak of all intermediate values
  int64_t scratch = 0;  ///< work space of library kernels and of the bodies of control flow
  int64_t total() const { return arguments + states + results + constants + arena + scratch; }
  std::string str() const;
};

struct ProgramOptions {
  std::string name = "program";
  bool jit_compile = true;  ///< false: no fusion across ops
};

/// A compiled graph. Immutable and shared; each thread that runs it at the same time gets buffers
/// of its own.
class Program {
 public:
  Program(ir::Graph graph, const ProgramOptions& options);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Runs one step on these arguments.
  Tensors run(std::span<const Tensor> arguments);
  /// Runs up to `n` steps on batches of `feed`; nothing is allocated, looked up or locked between
  /// the steps. Returns the number of steps done, and the outputs of the last one in `outputs`
  /// (unchanged when no step was done). `each_step`, if given, is told of the outputs of every
  /// step, which the next one overwrites.
  using StepOutputs = std::function<void(const Tensors& outputs)>;
  int64_t run(int64_t n, BatchFeed& feed, Tensors& outputs, const StepOutputs& each_step = {});

  const ProgramMemory& memory_plan() const;
  /// Text of the plan: kernels in order with their buffers.
  std::string plan_text() const;
  int64_t kernel_count() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace antler
