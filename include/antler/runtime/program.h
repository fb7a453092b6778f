#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "antler/core/feed.h"
#include "antler/core/tensor.h"

namespace antler::ir {
class Graph;
}

namespace antler {

/// Bytes that a program uses, known before it runs.
struct ProgramMemory {
  int64_t arguments = 0;  ///< input buffers of one batch
  int64_t states = 0;     ///< variables, which the program does not allocate
  int64_t results = 0;
  int64_t constants = 0;
  int64_t arena = 0;    ///< peak of all intermediate values
  int64_t scratch = 0;  ///< workspace of library kernels and of control flow bodies
  int64_t total() const { return arguments + states + results + constants + arena + scratch; }
  std::string str() const;
};

/// Options of Program.
struct ProgramOptions {
  std::string name = "program";
  bool jit_compile = true;  ///< false: no fusion across ops
};

/// A compiled graph. Thread-safe: each concurrent run has its own buffers.
class Program {
 public:
  Program(ir::Graph graph, const ProgramOptions& options);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Runs one step on these arguments.
  Tensors run(std::span<const Tensor> arguments);
  /// Called with the outputs of a step. The next step overwrites their buffers.
  using StepOutputs = std::function<void(const Tensors& outputs)>;
  /// Runs up to `n` steps on batches of `feed` and returns the number of steps done. Stores the
  /// outputs of the last step in `outputs` (unchanged if there was none); calls `each_step`, if
  /// given, after every step (on a device, possibly for many steps at once). With a `period`
  /// greater than 0 it is called after every `period` steps instead, while a device works on the
  /// next ones. Allocates and locks nothing between steps.
  int64_t run(int64_t n, BatchFeed& feed, Tensors& outputs, const StepOutputs& each_step = {},
              int64_t period = 0);

  const ProgramMemory& memory_plan() const;
  /// A printout of the plan: kernels in order with their buffers.
  std::string plan_text() const;
  int64_t kernel_count() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace antler
