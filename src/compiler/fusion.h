#pragma once

#include <unordered_set>
#include <vector>

#include "antler/ir/graph.h"
#include "compiler/pattern.h"

namespace antler::compiler {

/// What one nest computes: its parallel space, and the values that it reduces or stores. Everything
/// between these and the values of other kernels is computed inside the nest, where it is needed.
struct FusedNest {
  /// A place in a concatenation: elements [offset, offset + width) of each row of `row` elements
  /// of `result`.
  struct Part {
    ir::ValueId result = -1;
    int64_t row = 1;
    int64_t offset = 0;
    int64_t width = 1;
  };
  struct Member {
    ir::ValueId value = -1;
    Pattern pattern;  ///< the member's space -> parallel space
    bool reduction =
        false;  ///< folds its operand over the dropped blocks; else a value of its whole space
    bool stored = false;           ///< other kernels read it from memory
    std::vector<Part> parts = {};  ///< concatenations that it is written to as well
    bool is_written() const { return stored || !parts.empty(); }
  };
  std::vector<int64_t> parallel;  ///< sizes, as fine as the members need
  std::vector<Member> members;    ///< operands first
};

/// The partition of the graph's loop work into kernels.
struct Fusion {
  std::vector<FusedNest> nests;
  std::vector<ir::NodeId> library;  ///< nodes that each become a separate kernel
  /// The nest that has each value as a member, or one of:
  static constexpr int kInside = -1;  ///< computed inside the nests that use it
  static constexpr int kMemory = -2;  ///< an input, a literal or the result of a library kernel
  std::vector<int> home;
  std::vector<int> work;  ///< of each value: see RecomputeCost
};

struct FusionLimits {
  bool fuse = true;
  /// Values that must be stored and not be used inside the nest that computes them, because no
  /// loop expresses the access.
  std::unordered_set<ir::ValueId> separate = {};
};

/// Groups the fusable nodes of a graph into nests.
///
/// Terms. Aliases are resolved first (see storage_base). A *use* says that a nest needs a value in
/// one of its spaces, and at which points: those of a Pattern, or points that no Pattern describes.
/// Nodes are visited from the last to the first, so all uses of a value are known when it is
/// visited. The value is then either computed inside every nest that uses it, and each use becomes
/// a use of its operands; or it becomes a *unit*: it is computed in one nest, and other kernels
/// read it from memory. A unit joins a nest that uses it at the nest's own points: as the whole of
/// one of its spaces, or as one element per parallel point (a *row*). Nests that use the same value
/// merge if their points agree.
Fusion find_fusion(const ir::Graph& graph, const FusionLimits& limits);

}  // namespace antler::compiler
