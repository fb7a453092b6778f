#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "antler/ir/graph.h"
#include "antler/ir/op_def.h"

/// Kernels that are not generated: oneDNN primitives, handwritten code, and the reference loops.
namespace antler::runtime {

struct KernelContext {
  int threads = 1;  ///< OpenMP threads, at least 1
  /// Results must be bitwise equal for any number of threads. If false, they must be equal only for
  /// the same number of threads.
  bool deterministic = false;
};

inline size_t bytes_of(const TensorSpec& spec) {
  return static_cast<size_t>(spec.shape.num_elements()) * dtype_size(spec.dtype);
}

/// One node of a graph, prepared once and run many times. run() does not allocate (except for
/// reference kernels) and must not be called concurrently.
class LibraryKernel {
 public:
  virtual ~LibraryKernel() = default;
  /// Computes the node. `buffers`: its inputs, then its outputs, row-major; those that the runtime
  /// placed are 64-byte aligned. Outputs do not overlap inputs. An output that nothing reads may be
  /// left unwritten.
  virtual void run(void* const* buffers) = 0;
  /// Bytes of scratch memory for run(). The kernels of a program share one scratch buffer.
  virtual size_t scratch_bytes() const { return 0; }
  /// `memory`: scratch_bytes() bytes, 64-byte aligned. Called before the first run().
  virtual void set_scratch(void* memory) { (void)memory; }
  /// Bytes that the kernel allocated itself (control flow: instances of its bodies).
  virtual int64_t own_bytes() const { return 0; }
  /// Whether run() opens its own OpenMP regions. It then runs outside of any Team.
  virtual bool starts_threads() const { return false; }
  /// For profiles: "gemm avx2", "onednn conv", "reference".
  virtual const char* name() const = 0;
};

/// Makes a kernel for a node. If the kernel does not support the node, returns null and stores the
/// reason in `refusal` (unless null).
using MakeKernel = std::unique_ptr<LibraryKernel> (*)(const ir::Graph& graph, const ir::Node& node,
                                                      const KernelContext& context,
                                                      std::string* refusal);

/// An implementation of an op.
struct Candidate {
  const char* name;
  MakeKernel make;
};

/// The implementations of an op, best first, the reference loop last.
std::span<const Candidate> candidates_for(const ir::OpDef& op);

/// The first candidate that accepts the node. ANTLER_VERBOSE=1 prints refusals to stderr. Throws
/// InternalError if none accepts.
std::unique_ptr<LibraryKernel> make_library_kernel(const ir::Graph& graph, const ir::Node& node,
                                                   const KernelContext& context);

/// Whether a candidate other than the reference loop accepts the node.
bool has_library_kernel(const ir::Graph& graph, const ir::Node& node);

/// Whether to compute the node with a library kernel instead of a generated loop nest
/// (compiler::CompileOptions::prefers_library).
bool prefers_library(const ir::Graph& graph, const ir::Node& node);

}  // namespace antler::runtime
