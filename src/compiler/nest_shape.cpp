#include "compiler/nest_shape.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace antler::compiler {
namespace {

/// All accesses of a phase, index computations included.
std::vector<Access*> accesses_of(Phase& phase) {
  std::vector<Access*> all;
  for (Expr& e : phase.exprs) {
    if (e.kind == Expr::Kind::load || e.kind == Expr::Kind::index) all.push_back(&e.access);
  }
  for (Store& store : phase.stores) all.push_back(&store.access);
  return all;
}

/// Merges dimensions of `extents`; `strides` are the stride lists of the accesses in that space.
void merge(std::vector<int64_t>& extents, const std::vector<std::vector<int64_t>*>& strides) {
  const auto erase = [](std::vector<int64_t>& list, size_t i) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
  };
  for (size_t d = extents.size(); d-- > 0;) {
    if (extents[d] != 1) continue;
    erase(extents, d);
    for (auto* list : strides) erase(*list, d);
  }
  for (size_t d = extents.size(); d-- > 1;) {
    const int64_t inner = extents[d];
    const bool joins = std::all_of(
        strides.begin(), strides.end(),
        [&](const std::vector<int64_t>* list) { return (*list)[d - 1] == (*list)[d] * inner; });
    if (!joins) continue;
    extents[d - 1] *= inner;
    erase(extents, d);
    for (auto* list : strides) erase(*list, d - 1);
  }
}

}  // namespace

void merge_dimensions(LoopNest& nest) {
  std::vector<std::vector<int64_t>*> parallel;
  for (Phase& phase : nest.phases) {
    std::vector<std::vector<int64_t>*> inner;
    for (Access* access : accesses_of(phase)) {
      parallel.push_back(&access->parallel);
      inner.push_back(&access->reduction);
    }
    merge(phase.extents, inner);
  }
  merge(nest.extents, parallel);
}

std::string name_of(const LoopNest& nest) {
  constexpr size_t kMaxNames = 6;
  std::vector<std::string> names;
  bool more = false;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) != names.end()) return;
    if (names.size() == kMaxNames) {
      more = true;
    } else {
      names.push_back(name);
    }
  };
  for (const Phase& phase : nest.phases) {
    for (const Expr& e : phase.exprs) {
      if (e.kind == Expr::Kind::op) add(e.op->name);
    }
    for (const Reduction& r : phase.reductions) add(std::string("reduce_") + fold_name(r.fold));
  }
  if (names.empty()) return "move";
  return fmt::format("{}{}", fmt::join(names, "+"), more ? "+..." : "");
}

bool is_copy(const LoopNest& nest) {
  if (nest.phases.size() != 1 || !nest.phases[0].extents.empty() || nest.extents.size() > 1)
    return false;
  const Phase& phase = nest.phases[0];
  if (phase.exprs.size() != 1 || phase.stores.size() != 1 ||
      phase.exprs[0].kind != Expr::Kind::load)
    return false;
  const auto plain = [&](const Access& a) {
    return a.offset == 0 && (a.parallel.empty() || a.parallel[0] == 1);
  };
  return plain(phase.exprs[0].access) && plain(phase.stores[0].access);
}

}  // namespace antler::compiler
