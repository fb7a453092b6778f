#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/loop_nest.h"

/// Loop nests as native code: LLVM compiles them, OpenMP threads run them.
///
/// What callers promise: buffers are aligned to their element, do not overlap, and a buffer that is
/// written is read under another number only in place: through the very same address, at the point
/// of the nest that writes the element, and not in a phase after the one that writes it.
namespace antler::runtime::jit {

/// Runs the iterations [begin, end) of a kernel's range over the buffers of its nest.
using KernelFn = void (*)(void* const* buffers, int64_t begin, int64_t end);

struct Kernel {
  KernelFn fn = nullptr;
  int64_t range = 0;  ///< iterations in all; any split of [0, range) gives the same bits
  int64_t grain = 1;  ///< fewest iterations that are worth a thread of their own
};

/// Runs a whole step of a program over its table of buffers.
using StepFn = void (*)(void* const* buffers);

/// The CPU that code is made for.
struct CpuTarget {
  std::string cpu;       ///< LLVM's name
  std::string features;  ///< LLVM's list, e.g. "+avx2,+fma"
  /// The CPU that this process runs on.
  static CpuTarget host();
  /// The least that every CPU of the architecture has.
  static CpuTarget baseline();
};

/// Compiles nests and keeps the code as long as it lives. Thread-safe; equal nests are compiled
/// once.
class Compiler {
 public:
  explicit Compiler(const CpuTarget& target);
  ~Compiler();
  /// The compiler of the process, for the host CPU. It is never destroyed, so its code stays valid.
  static Compiler& instance();

  /// One kernel per nest. Throws InternalError when a nest does not verify.
  std::vector<Kernel> compile(std::span<const compiler::LoopNest* const> nests);

  /// One function that runs all nests one after the other, on the thread that calls it. Buffer j of
  /// nest i is buffers[buffer_ids[i][j]]. Meant for programs so small that calls and threads would
  /// cost more than the work.
  StepFn compile_program(std::span<const compiler::LoopNest* const> nests,
                         std::span<const std::vector<int>> buffer_ids);

  /// LLVM's text of a kernel or of its machine code, for people.
  std::string dump(const compiler::LoopNest& nest, bool assembly);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// How many of `threads` a kernel uses: fewer where a thread would not pay for its start.
int part_count(const Kernel& kernel, int threads);
/// Runs a kernel on part_count(kernel, threads) threads.
void run_parallel(const Kernel& kernel, void* const* buffers, int threads);

}  // namespace antler::runtime::jit
