#include "runtime/cpu/jit/lowering.h"

#include <algorithm>

#include "base/ceil_div.h"
#include "runtime/cpu/jit/memory.h"
#include "runtime/cpu/jit/nest_lowering.h"

/// Analysis of expressions and accesses, and the loops over the parallel space.
namespace antler::runtime::jit {

using compiler::Access;
using compiler::Expr;
using compiler::LoopNest;
using compiler::Phase;
using llvm::Value;

Lowering::Lowering(const Gen& g, const LoopNest& nest, const LoopPlan& plan, const Values& buffers)
    : g_(g), nest_(nest), plan_(plan), buffers_(buffers), bits_(dependences(nest)) {
  if (plan.row_dim >= 0) row_bit_ = parallel_bit(plan.row_dim);
  phases_.resize(nest.phases.size());
  for (size_t p = 0; p < nest.phases.size(); ++p) analyze(p);
}

size_t Lowering::add_cursor(const Access& access, size_t phase, DType dtype, bool index) {
  for (size_t i = 0; i < cursors_.size(); ++i) {
    const Cursor& c = cursors_[i];
    const bool same_space =
        c.phase == phase || (c.access->reduction.empty() && access.reduction.empty());
    if (same_space && c.index == index && c.dtype == dtype && c.access->offset == access.offset &&
        (index || c.access->buffer == access.buffer) && c.access->parallel == access.parallel &&
        c.access->reduction == access.reduction) {
      return i;
    }
  }
  cursors_.push_back({&access, phase, dtype, index});
  Value* offset = g_.i64(access.offset);
  at_.push_back(
      index ? offset
            : memory::advance(g_, dtype, buffers_[static_cast<size_t>(access.buffer)], offset));
  return cursors_.size() - 1;
}

void Lowering::analyze(size_t p) {
  const Phase& phase = nest_.phases[p];
  const PhasePlan& plan = plan_.phases[p];
  PhaseState& state = phases_[p];
  state.empty = std::find(phase.extents.begin(), phase.extents.end(), 0) != phase.extents.end();
  if (plan.vector) {
    state.vector_bit =
        plan.reduce_vector ? reduction_bit(plan.loops.back().dim) : parallel_bit(plan_.vector_dim);
  }
  const size_t points = plan_.loops.size();
  for (size_t e = 0; e < phase.exprs.size(); ++e) {
    const Expr& expr = phase.exprs[e];
    ExprInfo info;
    const DimSet bits = bits_[p][e];
    info.by_row = (bits & row_bit_) != 0;
    info.by_vector = (bits & state.vector_bit) != 0;
    for (size_t l = 0; l < points; ++l) {
      if ((bits & parallel_bit(plan_.loops[l].dim)) != 0) info.depth = l + 1;
    }
    for (size_t l = 0; l < plan.loops.size(); ++l) {
      if ((bits & reduction_bit(plan.loops[l].dim)) != 0) info.depth = points + l + 1;
    }
    if (expr.kind == Expr::Kind::load) {
      // A load from a buffer that this nest writes must not be hoisted.
      if (nest_.buffers[static_cast<size_t>(expr.access.buffer)].written) {
        info.depth = std::max(info.depth, points);
      }
      info.cursor = add_cursor(expr.access, p, expr.dtype, false);
    } else if (expr.kind == Expr::Kind::index) {
      info.cursor = add_cursor(expr.access, p, expr.dtype, true);
    } else if (expr.kind == Expr::Kind::row) {
      info.depth = points;
    }
    for (int arg : expr.args) {
      info.depth = std::max(info.depth, state.infos[static_cast<size_t>(arg)].depth);
    }
    state.infos.push_back(info);
  }
  for (const compiler::Store& store : phase.stores) {
    state.store_cursors.push_back(add_cursor(store.access, p, store.dtype, false));
  }
  allocate_slots(p);
}

/// Marks scalars that need a splat, and allocates the slots of all values.
void Lowering::allocate_slots(size_t p) {
  const Phase& phase = nest_.phases[p];
  PhaseState& state = phases_[p];
  for (size_t e = 0; e < phase.exprs.size(); ++e) {
    if (!state.infos[e].by_vector) continue;
    for (int arg : phase.exprs[e].args) state.infos[static_cast<size_t>(arg)].splat = true;
  }
  if (plan_.phases[p].vector) {
    for (const compiler::Store& s : phase.stores) {
      state.infos[static_cast<size_t>(s.value)].splat = true;
    }
    for (const compiler::Reduction& r : phase.reductions) {
      state.infos[static_cast<size_t>(r.value)].splat = true;
    }
  }
  const auto vectors = static_cast<size_t>(plan_.phases[p].vectors);
  const auto rows = static_cast<size_t>(plan_.rows);
  for (const ExprInfo& info : state.infos) {
    const size_t n = (info.by_row ? rows : 1) * (info.by_vector ? vectors : 1);
    state.slots.push_back({Values(n), Values(n)});
  }
  state.rows.assign(phase.reductions.size(), Values(rows * vectors));
}

void Lowering::run(const Range& range, Value* begin, Value* end) {
  for (int64_t extent : nest_.extents) {
    if (extent == 0) return;
  }
  for (size_t p = 0; p < phases_.size() && !plan_.loops.empty(); ++p) evaluate(p, 0);
  if (begin == nullptr) {
    parallel(0);
  } else {
    range_loop(range, begin, end);
  }
}

void Lowering::range_loop(const Range& range, Value* begin, Value* end) {
  llvm::IRBuilder<>& b = g_.b;
  if (range.loops != 1) {
    emit_loop(g_, begin, end, 1, false, {}, [&](Value* i, const Values&) {
      delinearize(0, range, i);
      return Values();
    });
    return;
  }
  const LoopAxis& axis = plan_.loops[0];
  const int64_t full = axis.extent / axis.block;
  const int64_t rest = axis.extent % axis.block;
  auto inside = [&] { parallel(1); };
  if (full > 0) {
    Value* last = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, g_.i64(full));
    emit_blocks({axis}, b.CreateMul(begin, g_.i64(axis.block)),
                b.CreateMul(last, g_.i64(axis.block)), false, {}, [&](const Values&) {
                  block(0, axis.block, inside);
                  return Values();
                });
  }
  if (rest > 0) {
    // The partial last block, if a non-empty [begin, end) includes it.
    Value* reaches = b.CreateAnd(b.CreateICmpSGT(end, g_.i64(full)), b.CreateICmpSLT(begin, end));
    emit_if(
        g_, reaches, [&] { single(0, g_.i64(full * axis.block), rest, inside); }, [] {});
  }
}

/// Opens the loops of the range. `rest`: the flat index of the loops from `level` on.
void Lowering::delinearize(size_t level, const Range& range, Value* rest) {
  if (level == range.loops) return parallel(level);
  llvm::IRBuilder<>& b = g_.b;
  int64_t inner = 1;
  for (size_t l = level + 1; l < range.loops; ++l) inner *= plan_.loops[l].iterations();
  Value* i = inner == 1 ? rest : b.CreateUDiv(rest, g_.i64(inner));
  Value* remaining = inner == 1 ? g_.i64(0) : b.CreateURem(rest, g_.i64(inner));
  const LoopAxis& axis = plan_.loops[level];
  const int64_t full = axis.extent / axis.block;
  const int64_t tail = axis.extent % axis.block;
  auto inside = [&] { delinearize(level + 1, range, remaining); };
  auto whole = [&] { single(level, b.CreateMul(i, g_.i64(axis.block)), axis.block, inside); };
  auto part = [&] { single(level, g_.i64(full * axis.block), tail, inside); };
  if (tail == 0) return whole();
  if (full == 0) return part();
  emit_if(g_, b.CreateICmpSLT(i, g_.i64(full)), whole, part);
}

void Lowering::parallel(size_t level) {
  if (level == plan_.loops.size()) return point();
  const LoopAxis& axis = plan_.loops[level];
  const int64_t full = axis.extent / axis.block;
  const int64_t rest = axis.extent % axis.block;
  auto inside = [&] { parallel(level + 1); };
  if (full == 1) {
    single(level, g_.i64(0), axis.block, inside);
  } else if (full > 1) {
    emit_blocks({axis}, g_.i64(0), g_.i64(full * axis.block), true, {}, [&](const Values&) {
      block(level, axis.block, inside);
      return Values();
    });
  }
  if (rest > 0) single(level, g_.i64(full * axis.block), rest, inside);
}

/// The `size` indices of a parallel loop from `start` on, without a loop.
void Lowering::single(size_t level, Value* start, int64_t size,
                      const std::function<void()>& inside) {
  const Values saved = at_;
  enter({plan_.loops[level]}, start);
  block(level, size, inside);
  at_ = saved;
}

/// The body of a parallel loop, for `size` indices. Cursors have been advanced.
void Lowering::block(size_t level, int64_t size, const std::function<void()>& inside) {
  const LoopAxis& axis = plan_.loops[level];
  const int rows = rows_;
  const int vectors = vectors_;
  const int tail = tail_;
  if (axis.dim == plan_.row_dim) rows_ = static_cast<int>(size);
  if (axis.dim == plan_.vector_dim) {
    vectors_ = static_cast<int>(ceil_div(size, plan_.lanes));
    tail_ = static_cast<int>(size % plan_.lanes);
  }
  if (level + 1 < plan_.loops.size()) {
    for (size_t p = 0; p < phases_.size(); ++p) evaluate(p, level + 1);
  }
  inside();
  rows_ = rows;
  vectors_ = vectors;
  tail_ = tail;
}

void Lowering::point() {
  for (size_t p = 0; p < phases_.size(); ++p) phase(p);
}

Range choose_range(const LoopNest& nest, const LoopPlan& plan, int64_t min_iterations) {
  Range range;
  for (int64_t extent : nest.extents) {
    if (extent == 0) return {0, 0};
  }
  for (const LoopAxis& axis : plan.loops) {
    if (range.iterations >= min_iterations) break;
    range.iterations *= axis.iterations();
    ++range.loops;
  }
  return range;
}

void lower(const Gen& g, const LoopNest& nest, const LoopPlan& plan, const Values& buffers,
           const Range& range, Value* begin, Value* end) {
  Lowering(g, nest, plan, buffers).run(range, begin, end);
}

}  // namespace antler::runtime::jit
