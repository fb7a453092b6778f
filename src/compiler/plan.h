#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "antler/ir/graph.h"
#include "compiler/loop_nest.h"

/// The compiler's output: which kernels run in which order on which memory. It is pure data; the
/// runtime turns it into code.
namespace antler::compiler {

/// Where the bytes of a value are.
struct Slot {
  enum class Space : uint8_t {
    none,      ///< never stored: computed inside fused kernels
    argument,  ///< buffer of graph input `index`
    state,     ///< bytes of the variable of graph.states[index], updated in place
    result,    ///< buffer of graph output `index`
    constant,  ///< literal of the constant node that defines it
    arena,     ///< `offset` bytes into the arena
  };
  Space space = Space::none;
  int32_t index = 0;
  int64_t offset = 0;
};

struct PlanKernel {
  enum class Kind : uint8_t {
    loop,     ///< `nest`, compiled by LLVM
    library,  ///< node `node` of the graph as a whole: oneDNN, a hand-written kernel or the
              ///< reference loop
    copy,     ///< buffers[0] -> buffers[1], whole values
  };
  Kind kind = Kind::loop;
  std::string name;  ///< for display: "add+mul+select", "dot_general 64x512x784"
  LoopNest nest;
  ir::NodeId node = -1;
  /// Loop: value of each nest buffer. Library: the node's inputs, then its outputs.
  std::vector<ir::ValueId> buffers;
};

/// Bytes that a program will use, known before it runs.
struct MemoryPlan {
  int64_t arguments = 0;
  int64_t states = 0;
  int64_t results = 0;
  int64_t constants = 0;
  int64_t arena = 0;    ///< peak of all intermediate values
  int64_t scratch = 0;  ///< largest scratchpad of a library kernel; filled in by the runtime
  int64_t total() const { return arguments + states + results + constants + arena + scratch; }
};

struct Plan {
  ir::Graph graph;  ///< after the passes
  std::vector<PlanKernel> kernels;
  std::vector<Slot> slots;  ///< one per value of the graph
  MemoryPlan memory;
};

struct CompileOptions {
  /// False: every op becomes a separate kernel (Keras's jit_compile=false), for debugging.
  bool fuse = true;
  /// Names of passes to leave out (only optimizations can be left out).
  std::vector<std::string> disabled_passes = {};
  /// Called after each pass with its name and the printed graph; for dumps.
  std::function<void(const std::string& pass, const std::string& graph)> dump = {};
  /// Whether a library kernel for a node (dot_general, conv, ...) beats a loop nest. Null: never,
  /// so every node that can be a nest becomes one.
  std::function<bool(const ir::Graph&, const ir::Node&)> prefers_library = {};
};

/// Runs all passes. The graph must be one that ir::verify accepts.
Plan compile(ir::Graph graph, const CompileOptions& options);

/// Prints a plan: kernels with their buffers, sizes and places.
std::string print(const Plan& plan);

}  // namespace antler::compiler
