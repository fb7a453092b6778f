#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "antler/ir/graph.h"
#include "antler/ir/op_def.h"

/// Kernels that are not generated loops: oneDNN, code written by hand, and the reference loops.
namespace antler::runtime {

/// What a kernel may use.
struct KernelContext {
  int threads = 1;  ///< OpenMP threads, at least 1
  /// The result must not depend on `threads`. Otherwise only equal `threads` give equal bits.
  bool deterministic = false;
};

/// One node of a graph, prepared once and run many times. run() allocates nothing and looks nothing
/// up (kernels named "reference" excepted). One thread at a time may run a kernel.
class LibraryKernel {
 public:
  virtual ~LibraryKernel() = default;
  /// Computes the node. `buffers`: its inputs, then its outputs; row-major, 64-byte aligned where
  /// the runtime placed them. Outputs do not overlap inputs; one that nothing in the graph reads
  /// may be left unwritten.
  virtual void run(void* const* buffers) = 0;
  /// Bytes of memory that run() may overwrite; shared by the kernels of a program.
  virtual size_t scratch_bytes() const { return 0; }
  /// 64-byte aligned memory of scratch_bytes() bytes; given before the first run().
  virtual void set_scratch(void* memory) { (void)memory; }
  /// Bytes that the kernel keeps for itself: what the bodies of control flow work in.
  virtual int64_t own_bytes() const { return 0; }
  /// Whether run() shares out its work by OpenMP regions of a library: no team is open then.
  virtual bool starts_threads() const { return false; }
  /// For people: "sgemm", "onednn conv", "reference".
  virtual const char* name() const = 0;
};

/// Makes a kernel for a node, or refuses: returns null and says why in `refusal`.
using MakeKernel = std::unique_ptr<LibraryKernel> (*)(const ir::Graph& graph, const ir::Node& node,
                                                      const KernelContext& context,
                                                      std::string* refusal);

/// One way to compute an op.
struct Candidate {
  const char* name;
  MakeKernel make;
};

/// The ways to compute an op, best first; the last is the reference loop if the op has one.
std::span<const Candidate> candidates_for(const ir::OpDef& op);

/// The first candidate that accepts. Prints refusals to stderr when ANTLER_VERBOSE=1. Throws
/// InternalError when none accepts.
std::unique_ptr<LibraryKernel> make_library_kernel(const ir::Graph& graph, const ir::Node& node,
                                                   const KernelContext& context);

/// Whether a kernel that is no reference loop accepts.
bool has_library_kernel(const ir::Graph& graph, const ir::Node& node);

/// Whether a library kernel is better than a generated loop: for
/// compiler::CompileOptions::prefers_library.
bool prefers_library(const ir::Graph& graph, const ir::Node& node);

}  // namespace antler::runtime
