#include "runtime/cpu/jit/memory.h"
#include "runtime/cpu/jit/nest_lowering.h"
#include "runtime/cpu/jit/op_rules.h"

/// Addresses and values of the current block.
namespace antler::runtime::jit {

using compiler::Expr;
using compiler::is_half;
using compiler::Phase;
using llvm::Value;

/// Stride of a cursor along a loop's dimension; 0 when it does not move there.
int64_t Lowering::stride(const Loop& loop, const Cursor& cursor) const {
  if (loop.reduction && cursor.phase != loop.phase) return 0;
  return stride_of(*cursor.access,
                   loop.reduction ? reduction_bit(loop.axis.dim) : parallel_bit(loop.axis.dim));
}

/// A cursor advanced by `index` steps of `stride`.
Value* Lowering::advanced(size_t cursor, Value* index, int64_t stride) const {
  Value* offset = stride == 1 ? index : g_.b.CreateMul(index, g_.i64(stride));
  return cursors_[cursor].index ? g_.b.CreateAdd(at_[cursor], offset)
                                : memory::advance(g_, cursors_[cursor].dtype, at_[cursor], offset);
}

void Lowering::enter(const Loop& loop, Value* index) {
  for (size_t c = 0; c < cursors_.size(); ++c) {
    const int64_t s = stride(loop, cursors_[c]);
    if (s != 0) at_[c] = advanced(c, index, s);
  }
}

/// A loop over blocks of an axis, for indices [first, last). Cursors of stride 1 add the loop
/// index, which x86 addressing modes do for free; the others are induction variables.
Values Lowering::emit_blocks(const Loop& loop, Value* first, Value* last, bool nonempty,
                             Values carried, const std::function<Values(const Values&)>& body) {
  const Values saved = at_;
  const size_t own = carried.size();
  std::vector<size_t> inductive;
  for (size_t c = 0; c < cursors_.size(); ++c) {
    const int64_t s = stride(loop, cursors_[c]);
    if (s == 0 || s == 1) continue;
    inductive.push_back(c);
    carried.push_back(advanced(c, first, s));
  }
  Values result = emit_loop(
      g_, first, last, loop.axis.block, nonempty, carried, [&](Value* index, const Values& inside) {
        at_ = saved;
        for (size_t c = 0; c < cursors_.size(); ++c) {
          if (stride(loop, cursors_[c]) == 1) at_[c] = advanced(c, index, 1);
        }
        for (size_t i = 0; i < inductive.size(); ++i) at_[inductive[i]] = inside[own + i];
        Values next =
            body(Values(inside.begin(), inside.begin() + static_cast<std::ptrdiff_t>(own)));
        for (size_t i = 0; i < inductive.size(); ++i) {
          at_[inductive[i]] = inside[own + i];
          next.push_back(advanced(inductive[i], g_.i64(loop.axis.block),
                                  stride(loop, cursors_[inductive[i]])));
        }
        return next;
      });
  at_ = saved;
  result.resize(own);
  return result;
}

Value* Lowering::address(const Cursor& cursor, size_t id, DimSet vector_bit, int row, int vector) {
  int64_t offset = 0;
  if (row_bit_ != 0) offset += row * stride_of(*cursor.access, row_bit_);
  if (vector_bit != 0) {
    offset += int64_t{vector} * plan_.lanes * stride_of(*cursor.access, vector_bit);
  }
  if (cursor.index) return g_.b.CreateAdd(at_[id], g_.i64(offset));
  return memory::advance(g_, cursor.dtype, at_[id], g_.i64(offset));
}

/// Evaluates the expressions of a phase that need exactly `depth` open loops.
void Lowering::evaluate(size_t p, size_t depth) {
  const PhasePlan& plan = plan_.phases[p];
  PhaseState& state = phases_[p];
  if (state.empty) return;  // its buffers may have no elements
  const int vectors = plan.vector ? vectors_ : 1;
  for (int row = 0; row < rows_; ++row) {
    for (int v = 0; v < vectors; ++v) {
      for (size_t e = 0; e < state.infos.size(); ++e) {
        const ExprInfo& info = state.infos[e];
        if (info.depth != depth || (!info.by_row && row > 0) || (!info.by_vector && v > 0))
          continue;
        const size_t at = info.by_vector
                              ? static_cast<size_t>(info.by_row ? row * plan.vectors + v : v)
                              : static_cast<size_t>(info.by_row ? row : 0);
        Value* value = evaluate_one(p, e, row, v);
        state.slots[e].values[at] = value;
        if (!info.by_vector && info.splat && plan.vector) {
          state.slots[e].splats[at] = g_.splat(value, plan_.lanes);
        }
      }
    }
  }
}

Value* Lowering::value_at(size_t p, int e, int row, int vector, bool as_vector) {
  const PhaseState& state = phases_[p];
  const ExprInfo& info = state.infos[static_cast<size_t>(e)];
  const Slot& slot = state.slots[static_cast<size_t>(e)];
  const int r = info.by_row ? row : 0;
  if (info.by_vector) return slot.values[static_cast<size_t>(r * plan_.phases[p].vectors + vector)];
  return as_vector ? slot.splats[static_cast<size_t>(r)] : slot.values[static_cast<size_t>(r)];
}

Value* Lowering::evaluate_one(size_t p, size_t e, int row, int vector) {
  const Expr& expr = nest_.phases[p].exprs[e];
  const PhaseState& state = phases_[p];
  const ExprInfo& info = state.infos[e];
  llvm::IRBuilder<>& b = g_.b;
  switch (expr.kind) {
    case Expr::Kind::constant: {
      llvm::Type* type = g_.compute_type(expr.dtype);
      if (!is_floating(expr.dtype)) return g_.integer(type, expr.integer);
      Value* number = g_.number(type, expr.number);
      return is_half(expr.dtype) ? g_.round_half(number, expr.dtype) : number;
    }
    case Expr::Kind::load: {
      Value* pointer = address(cursors_[info.cursor], info.cursor, state.vector_bit, row, vector);
      if (!info.by_vector) return memory::load_scalar(g_, expr.dtype, pointer);
      return memory::load(g_, expr.dtype, pointer, stride_of(expr.access, state.vector_bit),
                          plan_.lanes, active(vector));
    }
    case Expr::Kind::index: {
      Value* number = address(cursors_[info.cursor], info.cursor, state.vector_bit, row, vector);
      llvm::Type* type = g_.compute_type(expr.dtype);
      if (info.by_vector) {
        const int64_t stride = stride_of(expr.access, state.vector_bit);
        std::vector<llvm::Constant*> steps;
        llvm::Type* integer = is_floating(expr.dtype) ? b.getInt64Ty() : type;
        for (int lane = 0; lane < plan_.lanes; ++lane) {
          steps.push_back(
              llvm::ConstantInt::get(integer, static_cast<uint64_t>(lane * stride), true));
        }
        number = g_.splat(b.CreateTrunc(number, integer), plan_.lanes);
        number = b.CreateAdd(number, llvm::ConstantVector::get(steps));
      }
      if (!is_floating(expr.dtype)) return b.CreateTrunc(number, Gen::like(number, type));
      number = b.CreateSIToFP(number, Gen::like(number, type));
      return is_half(expr.dtype) ? g_.round_half(number, expr.dtype) : number;
    }
    case Expr::Kind::row: {
      const auto from = static_cast<size_t>(expr.row_phase);
      const int width = plan_.phases[from].vectors;
      const int v = plan_.phases[from].reduce_vector ? 0 : info.by_vector ? vector : 0;
      const Values& values = phases_[from].rows[static_cast<size_t>(expr.row_index)];
      Value* value = values[static_cast<size_t>(row * width + v)];
      return is_half(expr.dtype) ? g_.round_half(value, expr.dtype) : value;
    }
    case Expr::Kind::op:
      break;
  }
  Values args;
  for (int arg : expr.args) args.push_back(value_at(p, arg, row, vector, info.by_vector));
  const OpRule& rule = *find_rule(expr.op->name);
  const DType arg_dtype = nest_.phases[p].exprs[static_cast<size_t>(expr.args.back())].dtype;
  Value* value = rule.emit({g_, expr.dtype, arg_dtype, args});
  return is_half(expr.dtype) && !rule.exact ? g_.round_half(value, expr.dtype) : value;
}

void Lowering::emit_stores(size_t p) {
  const Phase& phase = nest_.phases[p];
  const PhasePlan& plan = plan_.phases[p];
  const PhaseState& state = phases_[p];
  const int vectors = plan.vector ? vectors_ : 1;
  for (int row = 0; row < rows_; ++row) {
    for (int v = 0; v < vectors; ++v) {
      for (size_t s = 0; s < phase.stores.size(); ++s) {
        const compiler::Store& store = phase.stores[s];
        const size_t cursor = state.store_cursors[s];
        Value* pointer = address(cursors_[cursor], cursor, state.vector_bit, row, v);
        Value* value = value_at(p, store.value, row, v, plan.vector);
        if (!plan.vector) {
          memory::store_scalar(g_, store.dtype, value, pointer);
        } else {
          memory::store(g_, store.dtype, value, pointer, stride_of(store.access, state.vector_bit),
                        active(v));
        }
      }
    }
  }
}

}  // namespace antler::runtime::jit
