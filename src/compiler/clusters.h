#pragma once

#include <vector>

#include "antler/ir/graph.h"
#include "compiler/pattern.h"

namespace antler::compiler {

/// A value that is computed in one nest only; see find_fusion().
struct Unit {
  ir::ValueId value = -1;
  Pattern pattern;         ///< the unit's space -> parallel space of the nest
  bool reduction = false;  ///< the space is the operand's; otherwise the value's
};

/// A kernel under construction: a nest, or one node for a library kernel.
struct Cluster {
  bool is_nest = true;
  int64_t parallel = 1;            ///< points of the parallel space
  std::vector<int64_t> kept = {};  ///< its dimensions, as fine as the units need
  bool has_inner = false;          ///< some unit loops inside a parallel point
  std::vector<Unit> units = {};
  std::vector<int> next = {};  ///< clusters that read what this one writes
};

/// The clusters and their dependences. Ids of merged clusters stay valid: find() maps them.
class ClusterGraph {
 public:
  int add(Cluster cluster);
  int find(int id) const;
  Cluster& at(int id) { return clusters_[static_cast<size_t>(find(id))]; }
  const Cluster& at(int id) const { return clusters_[static_cast<size_t>(find(id))]; }
  int count() const { return static_cast<int>(clusters_.size()); }
  bool is_root(int id) const { return find(id) == id; }

  /// `to` reads what `from` writes.
  void add_edge(int from, int to);
  /// Whether `to` must wait for `from`, directly or not.
  bool reaches(int from, int to);
  /// Whether `from` reaches `to` through another cluster, so that merging the two would make a
  /// cycle.
  bool reaches_indirectly(int from, int to);
  /// Merges `b` into `a`. The caller has checked that this makes no cycle.
  void merge(int a, int b);

 private:
  void update_ranks();
  bool search(int from, int to, bool skip_direct);

  std::vector<Cluster> clusters_;
  mutable std::vector<int> parent_;
  std::vector<int> rank_;  // ascends along edges, unless stale_
  std::vector<int> seen_;  // by cluster: number of the last search that visited it
  int searches_ = 0;
  int lowest_ = 0;
  bool stale_ = false;
};

}  // namespace antler::compiler
