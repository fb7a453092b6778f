#pragma once

#include "compiler/loop_nest.h"

namespace antler::runtime::jit {

/// The same nest with as few dimensions as possible: those of size 1 go, and neighbours that every
/// access walks through as one become one.
compiler::LoopNest canonical(const compiler::LoopNest& nest);

/// Calls f(access) for every access of the phase: loads, indices and stores.
template <class Phase, class F>
void for_each_access(Phase& phase, F f) {
  for (auto& e : phase.exprs) {
    if (e.kind == compiler::Expr::Kind::load || e.kind == compiler::Expr::Kind::index) f(e.access);
  }
  for (auto& store : phase.stores) f(store.access);
}

}  // namespace antler::runtime::jit
