#include <algorithm>
#include <limits>
#include <utility>

#include "compiler/fuser.h"
#include "compiler/op_kind.h"

namespace antler::compiler {

using ir::ValueId;

namespace {

/// Nests with equal parallel spaces merge even if they share nothing, as long as the spaces of each
/// nest have at most this many points in total.
constexpr int64_t kTinyNest = 1 << 12;
/// A nest may give up parallel points to save kernels: always in a tiny space, in a small one if
/// some points remain, and in a large one only if many remain. Points are rows, which are
/// contiguous, or columns, which fill vectors.
constexpr int64_t kTinySpace = 1 << 14;
constexpr int64_t kSmallSpace = 1 << 18;
constexpr int64_t kSomeRows = 4;
constexpr int64_t kManyRows = 16;
constexpr int64_t kSomeColumns = 128;
constexpr int64_t kManyColumns = 512;

}  // namespace

/// Whether a nest without inner loops may take the kept blocks of `pattern` as its parallel
/// space.
bool Fuser::may_convert(int nest, const Pattern& pattern) const {
  const Cluster& cluster = clusters_.at(nest);
  if (cluster.has_inner || cluster.parallel != pattern.total()) return false;
  if (!refine(cluster.kept, {pattern.total()})) return false;
  if (pattern.is_column() &&
      std::any_of(cluster.units.begin(), cluster.units.end(),
                  [&](const Unit& unit) { return by_rows_[at(unit.value)] != 0; })) {
    return false;
  }
  if (pattern.total() <= kTinySpace) return true;
  const bool small = pattern.total() < kSmallSpace;
  if (pattern.is_column()) return pattern.kept() >= (small ? kSomeColumns : kManyColumns);
  return pattern.kept() >= (small ? kSomeRows : kManyRows);
}

void Fuser::convert(int nest, const Pattern& pattern) {
  Cluster& cluster = clusters_.at(nest);
  cluster.parallel = pattern.kept();
  cluster.kept = pattern.kept_sizes();
  cluster.has_inner = cluster.has_inner || !pattern.is_whole();
  for (Unit& unit : cluster.units) unit.pattern = pattern;
  for (int s : spaces_of_[at(clusters_.find(nest))]) spaces_[at(s)].pattern = pattern;
}

/// Whether `reader` reads the units of `producer` at the points where `producer` computes them, so
/// that the two can merge.
bool Fuser::reads_at_points(int producer, int reader, const Conversion& convert_producer,
                            const Conversion& convert_reader) const {
  for (const Unit& unit : clusters_.at(producer).units) {
    const Pattern& made = convert_producer ? *convert_producer : unit.pattern;
    for (const Use& use : uses_[at(unit.value)]) {
      if (cluster_of(use) != reader) continue;
      if (!use.simple || is_separate(unit.value)) return false;
      const Pattern& space = convert_reader ? *convert_reader : spaces_[at(use.space)].pattern;
      const bool row = use.pattern == space && (unit.reduction || made.is_whole());
      const bool whole = !unit.reduction && use.pattern.is_whole() && space == made;
      if (!row && !whole) return false;
    }
  }
  return true;
}

bool Fuser::try_merge_as(int a, int b, const Conversion& convert_a, const Conversion& convert_b) {
  a = clusters_.find(a);
  b = clusters_.find(b);
  const Cluster& ca = clusters_.at(a);
  const Cluster& cb = clusters_.at(b);
  const int64_t parallel = convert_a ? convert_a->kept() : ca.parallel;
  if (parallel != (convert_b ? convert_b->kept() : cb.parallel)) return false;
  if (ca.units.size() + cb.units.size() > most_units(parallel)) return false;
  for (const Cluster* c : {&ca, &cb}) {
    for (const Unit& unit : c->units) {
      if (is_separate(unit.value)) return false;
    }
  }
  const auto kept = refine(convert_a ? convert_a->kept_sizes() : ca.kept,
                           convert_b ? convert_b->kept_sizes() : cb.kept);
  if (!kept) return false;
  if (!reads_at_points(a, b, convert_a, convert_b) || !reads_at_points(b, a, convert_b, convert_a))
    return false;
  if (clusters_.reaches_indirectly(a, b) || clusters_.reaches_indirectly(b, a)) return false;
  if (convert_a) convert(a, *convert_a);
  if (convert_b) convert(b, *convert_b);
  clusters_.merge(a, b);
  clusters_.at(a).kept = *kept;
  auto& from = spaces_of_[at(b)];
  spaces_of_[at(a)].insert(spaces_of_[at(a)].end(), from.begin(), from.end());
  from.clear();
  return true;
}

bool Fuser::try_merge(int a, int b) {
  a = clusters_.find(a);
  b = clusters_.find(b);
  if (a == b) return true;
  if (clusters_.at(a).parallel == clusters_.at(b).parallel) return try_merge_as(a, b, {}, {});
  // The nest without inner loops adopts the parallel space of the other, if that has a space of
  // the same size.
  for (const auto& [plain, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (clusters_.at(plain).has_inner) continue;
    const std::vector<int> spaces = spaces_of_[at(other)];
    for (int s : spaces) {
      const Pattern pattern = spaces_[at(s)].pattern;
      if (pattern.is_whole() || !may_convert(plain, pattern)) continue;
      if (try_merge_as(other, plain, {}, pattern)) return true;
    }
  }
  return false;
}

/// Merges the nests that need `v` at their points.
void Fuser::share(ValueId v) {
  if (size(v) == 1 || cost_.depends[at(v)] == 0) return;
  const ir::Node* definition = graph_.definition(v);
  // Recomputing a broadcast costs nothing.
  if (definition != nullptr && kind_of(*definition) == OpKind::broadcast) return;
  std::vector<int> nests;
  for (int nest : user_nests(v)) {
    if (lies_in(v, nest)) nests.push_back(nest);
  }
  for (size_t i = 0; i < nests.size(); ++i) {
    for (size_t j = i + 1; j < nests.size(); ++j) try_merge(nests[i], nests[j]);
  }
}

/// The first message to other workers that needs what the nest computes.
int Fuser::stage(int nest) const {
  int first = std::numeric_limits<int>::max();
  for (const Unit& unit : clusters_.at(nest).units)
    first = std::min(first, stages_[at(unit.value)]);
  return first;
}

/// Merges tiny nests of equal parallel space, such as nests of scalars, even if they share nothing.
/// Nests of different stages stay apart, because a message must not wait for work that only later
/// messages need.
void Fuser::merge_small() {
  std::vector<int> groups;
  for (int id = clusters_.count() - 1; id >= 0; --id) {
    if (!clusters_.is_root(id) || !clusters_.at(id).is_nest) continue;
    const auto is_tiny = [&](int nest) {
      int64_t total = 0;
      for (int s : spaces_of_[at(clusters_.find(nest))]) total += spaces_[at(s)].pattern.total();
      return total <= kTinyNest;
    };
    if (!is_tiny(id)) continue;
    bool merged = false;
    for (int group : groups) {
      if (clusters_.at(group).parallel != clusters_.at(id).parallel || !is_tiny(group) ||
          stage(group) != stage(id))
        continue;
      merged = try_merge_as(group, id, {}, {});
      if (merged) break;
    }
    if (!merged) groups.push_back(id);
  }
}

}  // namespace antler::compiler
