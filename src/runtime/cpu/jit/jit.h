#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/loop_nest.h"

/// Compiles loop nests to native code with LLVM and runs them on the threads of a Team.
///
/// Buffers must be aligned to their element size and must not overlap, except for updates in place:
/// a buffer that is written may be passed again as an input if the nest reads each element at the
/// point that writes it, and not in a later phase.
namespace antler::runtime::jit {

/// Runs the iterations [begin, end) of a kernel's range over the buffers of its nest.
using KernelFn = void (*)(void* const* buffers, int64_t begin, int64_t end);

struct Kernel {
  KernelFn fn = nullptr;
  int64_t range = 0;  ///< number of iterations; splitting [0, range) does not change results
  int64_t grain = 1;  ///< minimum iterations per thread
};

/// Runs a whole step of a program on its table of buffers.
using StepFn = void (*)(void* const* buffers);

/// The CPU to compile for.
struct CpuTarget {
  std::string cpu;       ///< LLVM's name
  std::string features;  ///< LLVM's list, e.g. "+avx2,+fma"
  static CpuTarget host();
  /// The oldest CPU of the architecture: code for it runs everywhere.
  static CpuTarget baseline();
};

/// Compiles nests and owns their code. Nests that print alike are compiled once. Thread-safe.
class Compiler {
 public:
  explicit Compiler(const CpuTarget& target);
  ~Compiler();
  /// The compiler for the host CPU. Never destroyed, so its code stays valid.
  static Compiler& instance();

  /// One kernel per nest. Throws InternalError if a nest is invalid.
  std::vector<Kernel> compile(std::span<const compiler::LoopNest* const> nests);

  /// One function that runs all nests in order on the calling thread, for programs so small that
  /// calls and threads would cost more than the work. Buffer j of nest i is
  /// buffers[buffer_ids[i][j]].
  StepFn compile_program(std::span<const compiler::LoopNest* const> nests,
                         std::span<const std::vector<int>> buffer_ids);

  /// LLVM IR or assembly of a kernel, for debugging.
  std::string dump(const compiler::LoopNest& nest, bool assembly);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// How many of `threads` a kernel uses: at least `grain` iterations per thread.
int part_count(const Kernel& kernel, int threads);
/// Runs a kernel on part_count(kernel, threads) threads.
void run_parallel(const Kernel& kernel, void* const* buffers, int threads);

}  // namespace antler::runtime::jit
