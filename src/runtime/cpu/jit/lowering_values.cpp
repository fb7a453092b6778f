#include "runtime/cpu/jit/memory.h"
#include "runtime/cpu/jit/nest_lowering.h"
#include "runtime/cpu/jit/op_rules.h"

/// Addresses and values of the present block.
namespace antler::runtime::jit {

using compiler::Expr;
using compiler::is_half;
using compiler::Phase;
using llvm::Value;

/// Stride of a cursor along a loop's dimension; 0 when it does not move there.
int64_t Lowering::stride(const Walk& walk, const Cursor& cursor) const {
  if (walk.reduction && cursor.phase != walk.phase) return 0;
  return stride_of(*cursor.access,
                   walk.reduction ? reduction_bit(walk.axis.dim) : parallel_bit(walk.axis.dim));
}

/// Where a cursor is after `index` steps of `stride`.
Value* Lowering::moved(size_t cursor, Value* index, int64_t stride) const {
  Value* offset = stride == 1 ? index : g_.b.CreateMul(index, g_.i64(stride));
  return cursors_[cursor].index ? g_.b.CreateAdd(at_[cursor], offset)
                                : memory::advance(g_, cursors_[cursor].dtype, at_[cursor], offset);
}

void Lowering::enter(const Walk& walk, Value* index) {
  for (size_t c = 0; c < cursors_.size(); ++c) {
    const int64_t s = stride(walk, cursors_[c]);
    if (s != 0) at_[c] = moved(c, index, s);
  }
}

/// A loop over blocks of an axis, for indices [first, last). Cursors of stride 1 use the index,
/// which the CPU adds to an address for free; the others are carried along and advance by a
/// constant.
Values Lowering::walk_blocks(const Walk& walk, Value* first, Value* last, bool certain,
                             Values carried, const std::function<Values(const Values&)>& body) {
  const Values saved = at_;
  const size_t own = carried.size();
  std::vector<size_t> travelling;
  for (size_t c = 0; c < cursors_.size(); ++c) {
    const int64_t s = stride(walk, cursors_[c]);
    if (s == 0 || s == 1) continue;
    travelling.push_back(c);
    carried.push_back(moved(c, first, s));
  }
  Values result = emit_loop(
      g_, first, last, walk.axis.block, certain, carried, [&](Value* index, const Values& inside) {
        at_ = saved;
        for (size_t c = 0; c < cursors_.size(); ++c) {
          if (stride(walk, cursors_[c]) == 1) at_[c] = moved(c, index, 1);
        }
        for (size_t i = 0; i < travelling.size(); ++i) at_[travelling[i]] = inside[own + i];
        Values next =
            body(Values(inside.begin(), inside.begin() + static_cast<std::ptrdiff_t>(own)));
        for (size_t i = 0; i < travelling.size(); ++i) {
          at_[travelling[i]] = inside[own + i];
          next.push_back(
              moved(travelling[i], g_.i64(walk.axis.block), stride(walk, cursors_[travelling[i]])));
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

/// Evaluates the expressions of a phase that become known when `depth` loops are open.
void Lowering::evaluate(size_t p, size_t depth) {
  const PhasePlan& plan = plan_.phases[p];
  PhaseState& state = phases_[p];
  if (state.empty) return;  // its buffers may have no elements
  const int vectors = plan.vector ? vectors_ : 1;
  for (int row = 0; row < rows_; ++row) {
    for (int v = 0; v < vectors; ++v) {
      for (size_t e = 0; e < state.infos.size(); ++e) {
        const Info& info = state.infos[e];
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
  const Info& info = state.infos[static_cast<size_t>(e)];
  const Slot& slot = state.slots[static_cast<size_t>(e)];
  const int r = info.by_row ? row : 0;
  if (info.by_vector) return slot.values[static_cast<size_t>(r * plan_.phases[p].vectors + vector)];
  return as_vector ? slot.splats[static_cast<size_t>(r)] : slot.values[static_cast<size_t>(r)];
}

Value* Lowering::evaluate_one(size_t p, size_t e, int row, int vector) {
  const Expr& expr = nest_.phases[p].exprs[e];
  const PhaseState& state = phases_[p];
  const Info& info = state.infos[e];
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
