#include "compiler/fuser.h"

#include <algorithm>

#include "compiler/message_stages.h"
#include "compiler/op_kind.h"
#include "compiler/views.h"

namespace antler::compiler {

using ir::NodeId;
using ir::ValueId;

Fuser::Fuser(const ir::Graph& graph, const FusionLimits& limits,
             const std::unordered_set<ValueId>& stored)
    : graph_(graph), limits_(limits), stored_(stored) {
  const size_t n = graph.values.size();
  base_.resize(n);
  for (size_t v = 0; v < n; ++v) base_[v] = static_cast<ValueId>(v);
  needed_.assign(n, 0);
  uses_.resize(n);
  readers_.resize(n);
  parts_.resize(n);
  home_.assign(n, Fusion::kMemory);
  for (const ir::Node& node : graph.nodes) {
    const bool fusable = is_fusable(graph, node);
    if (is_alias(graph, node)) base_[at(node.outputs[0])] = base(node.inputs[0]);
    if (fusable && kind_of(node) != OpKind::constant) home_[at(node.outputs[0])] = Fusion::kInside;
    if (!fusable && !is_alias(graph, node)) {
      for (ValueId v : node.inputs) needed_[at(base(v))] = 1;
    }
  }
  for (ValueId v : graph.results()) needed_[at(base(v))] = 1;
  cost_ = recompute_cost(graph, needed_);
  stages_ = message_stages(graph);
  find_row_values();
}

/// Marks values that depend on a reduction over their own rows, as in softmax. They are computed
/// with that reduction, not in a nest that sums them over columns.
void Fuser::find_row_values() {
  by_rows_.assign(graph_.values.size(), 0);
  // Of a row value: elements of the space that was reduced.
  std::vector<int64_t> reduced(graph_.values.size(), 0);
  for (const ir::Node& node : graph_.nodes) {
    if (!is_fusable(graph_, node)) continue;
    const ValueId out = node.outputs[0];
    const OpKind kind = kind_of(node);
    if (is_alias(graph_, node)) {
      reduced[at(out)] = reduced[at(node.inputs[0])];
      by_rows_[at(out)] = by_rows_[at(node.inputs[0])];
    } else if (is_reduction(kind)) {
      const Shape& shape = graph_.spec(node.inputs[0]).shape;
      const Pattern pattern = Pattern::of_reduction(shape, node.attrs.ints("axes"));
      if (size(out) > 1 && !pattern.is_column()) reduced[at(out)] = pattern.total();
    } else if (kind == OpKind::broadcast) {
      by_rows_[at(out)] = reduced[at(node.inputs[0])] == size(out) ? 1 : 0;
    } else if (!is_view(kind)) {
      for (ValueId in : node.inputs) {
        reduced[at(out)] = std::max(reduced[at(out)], reduced[at(in)]);
        if (needed_[at(base(in))] == 0) by_rows_[at(out)] = by_rows_[at(out)] | by_rows_[at(in)];
      }
    }
  }
}

Fusion Fuser::run() {
  for (size_t n = graph_.nodes.size(); n-- > 0;) {
    const ir::Node& node = graph_.nodes[n];
    if (is_alias(graph_, node) || kind_of(node) == OpKind::constant) continue;
    if (!is_fusable(graph_, node)) {
      visit_library(static_cast<NodeId>(n));
    } else if (is_reduction(kind_of(node))) {
      visit_reduction(node.outputs[0], node);
    } else {
      visit_pointwise(node.outputs[0], node);
    }
  }
  if (limits_.fuse) {
    for (size_t v = 0; v < graph_.values.size(); ++v) {
      if (graph_.values[v].node < 0) share(static_cast<ValueId>(v));
    }
    merge_small();
    join_concatenations();
  }
  return result();
}

void Fuser::add_use(ValueId v, int space, bool simple, const Pattern& pattern) {
  v = base(v);
  for (const Use& use : uses_[at(v)]) {
    if (use.space == space && use.simple == simple && use.pattern == pattern) return;
  }
  uses_[at(v)].push_back({space, simple, pattern});
}

void Fuser::use_operands(const ir::Node& node, const Use& use) {
  const OpKind kind = kind_of(node);
  if (!is_view(kind)) {
    for (ValueId v : node.inputs) add_use(v, use.space, use.simple, use.pattern);
    return;
  }
  std::optional<Pattern> inner;
  if (kind == OpKind::broadcast && use.simple) {
    inner = compose(use.pattern, Pattern::of_broadcast(graph_.spec(node.outputs[0]).shape,
                                                       graph_.spec(node.inputs[0]).shape,
                                                       node.attrs.ints("dims")));
  }
  add_use(node.inputs[0], use.space, inner.has_value(), inner.value_or(Pattern{}));
}

std::vector<int> Fuser::user_nests(ValueId v) const {
  std::vector<int> nests;
  for (const Use& use : uses_[at(v)]) {
    const int nest = cluster_of(use);
    if (std::find(nests.begin(), nests.end(), nest) == nests.end()) nests.push_back(nest);
  }
  return nests;
}

/// Whether the use is the whole value, element by element.
bool Fuser::whole_at(const Use& use, ValueId v) const {
  return use.simple && use.pattern.is_whole() && use.pattern.kept() == size(v);
}

/// Whether the use needs one element per parallel point.
bool Fuser::row_at(const Use& use) const {
  return use.simple && use.pattern == spaces_[at(use.space)].pattern;
}

/// Whether some use in the nest needs `v` at the nest's own points.
bool Fuser::lies_in(ValueId v, int nest) const {
  return std::any_of(uses_[at(v)].begin(), uses_[at(v)].end(), [&](const Use& use) {
    return cluster_of(use) == nest && (whole_at(use, v) || row_at(use));
  });
}

void Fuser::link(ValueId v, int cluster) {
  for (int nest : user_nests(v)) clusters_.add_edge(cluster, nest);
  for (int reader : readers_[at(v)]) clusters_.add_edge(cluster, reader);
}

int Fuser::add_nest(int64_t parallel, std::vector<int64_t> kept) {
  const int id = clusters_.add({.parallel = parallel, .kept = std::move(kept)});
  spaces_of_.resize(at(id) + 1);
  return id;
}

int Fuser::space_in(int nest, const Pattern& pattern) {
  nest = clusters_.find(nest);
  for (int s : spaces_of_[at(nest)]) {
    if (spaces_[at(s)].pattern == pattern) return s;
  }
  const int s = static_cast<int>(spaces_.size());
  spaces_.push_back({nest, pattern});
  spaces_of_[at(nest)].push_back(s);
  return s;
}

/// Makes `v` a unit of a nest and turns its uses there into uses of its operands.
void Fuser::place(ValueId v, int nest, const Pattern& pattern, bool reduction) {
  nest = clusters_.find(nest);
  Cluster& cluster = clusters_.at(nest);
  cluster.units.push_back({v, pattern, reduction});
  cluster.has_inner = cluster.has_inner || !pattern.is_whole();
  home_[at(v)] = nest;
  link(v, nest);
  const ir::Node& node = *graph_.definition(v);
  const int space = space_in(nest, pattern);
  const Use own = {space, true, Pattern::whole(pattern.total())};
  if (reduction) {
    add_use(node.inputs[0], space, true, own.pattern);
    return;
  }
  use_operands(node, own);
  const std::vector<Use> uses = uses_[at(v)];
  for (const Use& use : uses) {
    if (cluster_of(use) == nest) use_operands(node, use);
  }
}

/// Whether a nest that uses `v` can compute it: no other reader of `v` runs before the nest.
bool Fuser::can_host(ValueId v, int nest) {
  nest = clusters_.find(nest);
  const Cluster& cluster = clusters_.at(nest);
  if (cluster.units.size() >= most_units(cluster.parallel)) return false;
  for (const Unit& unit : cluster.units) {
    if (is_separate(unit.value)) return false;
  }
  for (int other : user_nests(v)) {
    if (other != nest && clusters_.reaches(other, nest)) return false;
  }
  for (int reader : readers_[at(v)]) {
    if (clusters_.reaches(reader, nest)) return false;
  }
  return true;
}

void Fuser::visit_library(NodeId n) {
  const ir::Node& node = graph_.nodes[at(n)];
  const int id = clusters_.add({.is_nest = false});
  spaces_of_.resize(at(id) + 1);
  library_.push_back(n);
  for (ValueId v : node.outputs) {
    link(v, id);
    if (limits_.fuse) share(v);
  }
  for (ValueId v : node.inputs) readers_[at(base(v))].push_back(id);
}

bool Fuser::should_store(ValueId v, const std::vector<int>& nests) const {
  if (needed_[at(v)] != 0 || is_separate(v) || !limits_.fuse || stored_.count(v) != 0) return true;
  const int work = cost_.work[at(v)];
  if (size(v) == 1) {
    // Scalars are computed once, in nests of scalars.
    if (cost_.depends[at(v)] == 0 || work == 0) return false;
    return std::any_of(nests.begin(), nests.end(),
                       [&](int nest) { return clusters_.at(nest).parallel > 1; });
  }
  return nests.size() > 1 && (work >= kExpensive || cost_.loads[at(v)] >= kManyLoads);
}

void Fuser::visit_pointwise(ValueId v, const ir::Node& node) {
  if (is_dead(v)) return;
  if (limits_.fuse) share(v);
  if (!should_store(v, user_nests(v))) {
    const std::vector<Use> uses = uses_[at(v)];
    for (const Use& use : uses) use_operands(node, use);
    return;
  }
  if (limits_.fuse && !is_separate(v)) {
    for (const Use& use : uses_[at(v)]) {
      const int nest = cluster_of(use);
      const bool whole = whole_at(use, v);
      if (whole && by_rows_[at(v)] != 0 && spaces_[at(use.space)].pattern.is_column()) continue;
      if ((!whole && !row_at(use)) || !can_host(v, nest)) continue;
      const Pattern pattern =
          whole ? spaces_[at(use.space)].pattern : Pattern::whole(clusters_.at(nest).parallel);
      place(v, nest, pattern, false);
      return;
    }
  }
  std::vector<int64_t> kept;
  if (size(v) > 1) kept.push_back(size(v));
  place(v, add_nest(size(v), kept), Pattern::whole(size(v)), false);
}

/// How a nest must change so that each of its uses of `v` is one element per parallel point.
/// Returns an empty pattern if no change is needed, and nullopt if it is impossible.
Fuser::Conversion Fuser::conversion_for_row(ValueId v, int nest) const {
  const Cluster& cluster = clusters_.at(nest);
  const Use* first = nullptr;
  bool rows = cluster.parallel == size(v);
  bool alike = !cluster.has_inner;
  for (const Use& use : uses_[at(v)]) {
    if (cluster_of(use) != nest) continue;
    if (first == nullptr) first = &use;
    rows = rows && row_at(use);
    alike = alike && use.simple && use.pattern == first->pattern;
  }
  if (rows) return Pattern{};
  if (alike && first->pattern.total() == cluster.parallel && first->pattern.kept() == size(v) &&
      may_convert(nest, first->pattern)) {
    return first->pattern;
  }
  return {};
}

void Fuser::visit_reduction(ValueId v, const ir::Node& node) {
  if (is_dead(v)) return;
  const Pattern pattern =
      Pattern::of_reduction(graph_.spec(node.inputs[0]).shape, node.attrs.ints("axes"));
  if (limits_.fuse && !is_separate(v)) {
    merge_rows(v);
    for (int nest : user_nests(v)) {
      const Conversion change = conversion_for_row(v, nest);
      if (!change || !can_host(v, nest)) continue;
      const bool changes = !change->blocks.empty();
      const auto kept =
          refine(changes ? change->kept_sizes() : clusters_.at(nest).kept, pattern.kept_sizes());
      if (!kept) continue;
      if (changes) convert(nest, *change);
      clusters_.at(nest).kept = *kept;
      place(v, nest, pattern, true);
      return;
    }
  }
  place(v, add_nest(pattern.kept(), pattern.kept_sizes()), pattern, true);
}

/// Merges nests that have, or could have, one element of `v` per parallel point.
void Fuser::merge_rows(ValueId v) {
  const std::vector<int> nests = user_nests(v);
  for (size_t i = 0; i < nests.size(); ++i) {
    for (size_t j = i + 1; j < nests.size(); ++j) {
      const int a = clusters_.find(nests[i]);
      const int b = clusters_.find(nests[j]);
      if (a == b) continue;
      const Conversion change_a = conversion_for_row(v, a);
      const Conversion change_b = conversion_for_row(v, b);
      if (!change_a || !change_b) continue;
      const auto used = [](const Conversion& c) { return c->blocks.empty() ? Conversion{} : c; };
      try_merge_as(a, b, used(change_a), used(change_b));
    }
  }
}

bool Fuser::is_read_outside(ValueId v, int nest) const {
  if (needed_[at(v)] != 0) return true;
  return std::any_of(uses_[at(v)].begin(), uses_[at(v)].end(),
                     [&](const Use& use) { return cluster_of(use) != nest; });
}

Fusion Fuser::result() const {
  Fusion fusion;
  fusion.work = cost_.work;
  fusion.library.assign(library_.rbegin(), library_.rend());
  fusion.home = home_;
  for (int& home : fusion.home) {
    if (home >= 0) home = Fusion::kInside;
  }
  for (int id = clusters_.count() - 1; id >= 0; --id) {
    const Cluster& cluster = clusters_.at(id);
    if (!clusters_.is_root(id) || !cluster.is_nest) continue;
    FusedNest nest;
    nest.parallel = cluster.kept;
    for (const Unit& unit : cluster.units) {
      const FusedNest::Member member = {unit.value, unit.pattern, unit.reduction,
                                        is_read_outside(unit.value, id), parts_[at(unit.value)]};
      if (!member.is_written() && !unit.reduction) continue;  // all its readers are here now
      nest.members.push_back(member);
      fusion.home[at(unit.value)] = static_cast<int>(fusion.nests.size());
    }
    std::sort(nest.members.begin(), nest.members.end(),
              [&](const FusedNest::Member& a, const FusedNest::Member& b) {
                return graph_.value(a.value).node < graph_.value(b.value).node;
              });
    fusion.nests.push_back(std::move(nest));
  }
  return fusion;
}

std::vector<ValueId> Fuser::wasteful() const {
  std::vector<ValueId> result;
  for (const ir::Node& node : graph_.nodes) {
    if (kind_of(node) != OpKind::broadcast) continue;
    const ValueId v = base(node.inputs[0]);
    if (home_[at(v)] != Fusion::kInside || size(v) == 1 || cost_.work[at(v)] < kExpensive) continue;
    const bool repeated =
        std::any_of(uses_[at(v)].begin(), uses_[at(v)].end(), [&](const Use& use) {
          return spaces_[at(use.space)].pattern.total() > size(v) && !row_at(use);
        });
    if (repeated) result.push_back(v);
  }
  return result;
}

}  // namespace antler::compiler
