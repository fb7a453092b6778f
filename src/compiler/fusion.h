#pragma once

#include <unordered_set>
#include <vector>

#include "antler/ir/graph.h"
#include "compiler/pattern.h"

namespace antler::compiler {

/// What one nest is to compute: its parallel space and the values that it reduces or stores.
/// Everything between these and values of other kernels is computed inside, where it is needed.
struct FusedNest {
  /// A place in a concatenation: of the rows of `row` elements that make up `result`, elements
  /// [offset, offset + width).
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
    bool stored = false;           ///< others read it from memory
    std::vector<Part> parts = {};  ///< concatenations that it is written to as well
    bool leaves() const { return stored || !parts.empty(); }
  };
  std::vector<int64_t> parallel;  ///< dimensions, multiplied from those that the members need
  std::vector<Member> members;    ///< operands first
};

/// The partition of the graph's loop work into kernels.
struct Fusion {
  std::vector<FusedNest> nests;
  std::vector<ir::NodeId> library;  ///< nodes that are kernels of their own
  /// Where each value is found: a nest that has it as a member, or one of:
  static constexpr int kInside = -1;  ///< computed inside of the nests that use it
  static constexpr int kMemory = -2;  ///< an input, a literal or made by a library kernel
  std::vector<int> home;
  std::vector<int> work;  ///< of each value, to compute it again: see RecomputeCost
};

struct FusionLimits {
  bool fuse = true;
  /// Values that must be stored, and not be used inside of the nest that makes them: for what a
  /// loop cannot express.
  std::unordered_set<ir::ValueId> apart = {};
};

/// Groups the fusable nodes of a graph into nests.
///
/// Vocabulary. Values are taken without aliases (see storage_base). A *use* says that a nest needs
/// a value in one of its spaces, and how the value lies in that space (a Pattern, or in no simple
/// way). Nodes are visited from the last to the first, so all uses of a value are known when it
/// comes. It then is computed inside of every nest that uses it (each use becomes one of its
/// operands), or it becomes a *unit*: a value that has a place in one nest, from where other
/// kernels read it. Units join a nest that uses them where they lie at its points: as a whole in
/// one of its spaces, or once for every parallel point (a *row*). Nests that use the same value
/// merge where their points agree.
Fusion find_fusion(const ir::Graph& graph, const FusionLimits& limits);

}  // namespace antler::compiler
