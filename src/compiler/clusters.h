#pragma once

#include <vector>

#include "antler/ir/graph.h"
#include "compiler/pattern.h"

namespace antler::compiler {

/// A value that a nest computes under its own name.
struct Unit {
  ir::ValueId value = -1;
  Pattern pattern;         ///< the unit's space -> parallel space of the nest
  bool reduction = false;  ///< the space is the operand's; else it is the value's own
};

/// A future kernel: a nest, or one node for the library.
struct Cluster {
  bool is_nest = true;
  int64_t parallel = 1;            ///< points of the parallel space
  std::vector<int64_t> kept = {};  ///< its dimensions, as fine as the units need
  bool has_inner = false;          ///< some unit loops inside of a parallel point
  std::vector<Unit> units = {};
  std::vector<int> next = {};  ///< clusters that read what this one writes
};

/// The clusters and who waits for whom. Clusters merge; ids of merged ones stay valid through
/// find().
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
  /// Whether another cluster stands between: `from` reaches `to` on a path of more than one edge.
  bool reaches_indirectly(int from, int to);
  /// Makes `b` part of `a`; units and edges move. The caller has checked that no cycle arises.
  void merge(int a, int b);

 private:
  void update_ranks();
  bool search(int from, int to, bool skip_direct);

  std::vector<Cluster> clusters_;
  mutable std::vector<int> parent_;
  std::vector<int> rank_;  // ascends along edges, unless stale_
  std::vector<int> seen_;  // number of the last search that met a cluster
  int searches_ = 0;
  int lowest_ = 0;
  bool stale_ = false;
};

}  // namespace antler::compiler
