#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "compiler/at.h"
#include "compiler/clusters.h"
#include "compiler/cost.h"
#include "compiler/fusion.h"

namespace antler::compiler {

/// Implements find_fusion(), which defines the terms. fuser.cpp visits the nodes, fuser_merge.cpp
/// merges nests, and fuser_parts.cpp joins concatenations.
class Fuser {
 public:
  /// `stored`: values to store although computing them again looks cheap.
  Fuser(const ir::Graph& graph, const FusionLimits& limits,
        const std::unordered_set<ir::ValueId>& stored);

  Fusion run();
  /// Values that are recomputed for each element of a larger space; the next round stores them.
  std::vector<ir::ValueId> wasteful() const;

 private:
  /// Maximum number of units of a nest. Scalar nests are not loops and may be longer.
  static size_t most_units(int64_t parallel) { return parallel == 1 ? 256 : 24; }
  /// Points at which a nest computes values.
  struct Space {
    int cluster = 0;
    Pattern pattern;  // space -> parallel space of the cluster
  };
  struct Use {
    int space = 0;
    bool simple = false;  // `pattern` says where in the space the value is needed
    Pattern pattern;      // space -> value
  };
  /// The new pattern of a nest without inner loops that adopts another nest's parallel space.
  using Conversion = std::optional<Pattern>;

  ir::ValueId base(ir::ValueId v) const { return base_[at(v)]; }
  int64_t size(ir::ValueId v) const { return graph_.spec(v).shape.num_elements(); }
  int cluster_of(const Use& use) const { return clusters_.find(spaces_[at(use.space)].cluster); }
  bool is_dead(ir::ValueId v) const { return needed_[at(v)] == 0 && uses_[at(v)].empty(); }
  bool is_separate(ir::ValueId v) const { return limits_.separate.count(v) != 0; }

  void find_row_values();
  void visit_library(ir::NodeId n);
  void visit_pointwise(ir::ValueId v, const ir::Node& node);
  void visit_reduction(ir::ValueId v, const ir::Node& node);
  void share(ir::ValueId v);
  void merge_rows(ir::ValueId v);
  void merge_small();
  int stage(int nest) const;
  void join_concatenations();
  std::optional<int> producer_of(const ir::Node& concatenation) const;

  bool should_store(ir::ValueId v, const std::vector<int>& nests) const;
  bool whole_at(const Use& use, ir::ValueId v) const;
  bool row_at(const Use& use) const;
  bool lies_in(ir::ValueId v, int nest) const;
  bool can_host(ir::ValueId v, int nest);
  Conversion conversion_for_row(ir::ValueId v, int nest) const;
  bool may_convert(int nest, const Pattern& pattern) const;
  void convert(int nest, const Pattern& pattern);
  bool try_merge(int a, int b);
  bool try_merge_as(int a, int b, const Conversion& convert_a, const Conversion& convert_b);
  bool reads_at_points(int producer, int reader, const Conversion& convert_producer,
                       const Conversion& convert_reader) const;

  int add_nest(int64_t parallel, std::vector<int64_t> kept);
  int space_in(int nest, const Pattern& pattern);
  void place(ir::ValueId v, int nest, const Pattern& pattern, bool reduction);
  void add_use(ir::ValueId v, int space, bool simple, const Pattern& pattern);
  void use_operands(const ir::Node& node, const Use& use);
  std::vector<int> user_nests(ir::ValueId v) const;
  void link(ir::ValueId v, int cluster);
  Fusion result() const;
  bool is_read_outside(ir::ValueId v, int nest) const;

  const ir::Graph& graph_;
  const FusionLimits& limits_;
  const std::unordered_set<ir::ValueId>& stored_;
  std::vector<ir::ValueId> base_;
  std::vector<char> needed_;   // results, operands of library nodes
  std::vector<int> stages_;    // see message_stages()
  std::vector<char> by_rows_;  // best computed row by row: see find_row_values
  RecomputeCost cost_;
  ClusterGraph clusters_;
  std::vector<Space> spaces_;
  std::vector<std::vector<int>> spaces_of_;  // cluster -> its spaces
  std::vector<std::vector<Use>> uses_;       // value -> uses in nests
  std::vector<std::vector<int>> readers_;    // value -> library clusters that read it
  std::vector<int> home_;  // value -> cluster that has it as a unit, or Fusion::kInside / kMemory
  std::vector<ir::NodeId> library_;
  std::vector<std::vector<FusedNest::Part>> parts_;  // value -> where concatenations hold it
};

}  // namespace antler::compiler
