#include "runtime/cpu/jit/canonical.h"

#include <utility>

namespace antler::runtime::jit {

using compiler::Access;
using compiler::Expr;
using compiler::LoopNest;
using compiler::Phase;

namespace {

using Strides = std::vector<int64_t> Access::*;

/// Calls f(access) for every load, index and store of the phase.
template <class P, class F>
void for_each_access(P& phase, F f) {
  for (auto& e : phase.exprs) {
    if (e.kind == Expr::Kind::load || e.kind == Expr::Kind::index) f(e.access);
  }
  for (auto& store : phase.stores) f(store.access);
}

/// Drops and merges dimensions of one space. `phases`: the phases whose accesses use these
/// dimensions.
void simplify(std::vector<int64_t>& extents, std::span<Phase> phases, Strides strides) {
  auto erase = [&](size_t d) {
    extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(d));
    for (Phase& phase : phases) {
      for_each_access(phase, [&](Access& a) {
        (a.*strides).erase((a.*strides).begin() + static_cast<std::ptrdiff_t>(d));
      });
    }
  };
  for (size_t d = extents.size(); d-- > 0;) {
    if (extents[d] == 1) erase(d);
  }
  for (size_t d = extents.size(); d-- > 1;) {
    bool contiguous = true;
    for (const Phase& phase : phases) {
      for_each_access(phase, [&](const Access& a) {
        contiguous = contiguous && (a.*strides)[d - 1] == (a.*strides)[d] * extents[d];
      });
    }
    if (!contiguous) continue;
    extents[d] *= extents[d - 1];
    erase(d - 1);
  }
}

}  // namespace

LoopNest canonical(const LoopNest& nest) {
  LoopNest result = nest;
  simplify(result.extents, result.phases, &Access::parallel);
  for (Phase& phase : result.phases) {
    simplify(phase.extents, std::span(&phase, 1), &Access::reduction);
  }
  return result;
}

}  // namespace antler::runtime::jit
