#include <algorithm>

#include "base/ceil_div.h"
#include "runtime/cpu/jit/folds.h"
#include "runtime/cpu/jit/memory.h"
#include "runtime/cpu/jit/nest_lowering.h"

/// The loops over a phase's reduction space.
namespace antler::runtime::jit {

using compiler::Phase;
using llvm::Value;

namespace {

/// Scalar loops of at most this many iterations are unrolled.
constexpr int64_t kUnrolled = 4;

}  // namespace

void Lowering::phase(size_t p) {
  const Phase& phase = nest_.phases[p];
  const PhasePlan& plan = plan_.phases[p];
  const size_t blocks = static_cast<size_t>(rows_) * static_cast<size_t>(plan.vectors);
  Values carried(phase.reductions.size() * blocks);  // null: nothing folded yet
  const Values saved = at_;
  const int vectors = vectors_;
  const int tail = tail_;
  if (!phases_[p].empty) {
    evaluate(p, plan_.loops.size());
    carried = reduce(p, 0, carried);
  }
  at_ = saved;
  finish(p, carried);
  vectors_ = vectors;
  tail_ = tail;
}

Values Lowering::reduce(size_t p, size_t level, Values carried) {
  const PhasePlan& plan = plan_.phases[p];
  if (level == plan.loops.size()) return body(p, carried);
  const LoopAxis& axis = plan.loops[level];
  const int64_t full = axis.extent / axis.block;
  const int64_t rest = axis.extent % axis.block;
  const bool innermost = level + 1 == plan.loops.size();
  if (full == 1 || (innermost && axis.block == 1 && full <= kUnrolled)) {
    for (int64_t i = 0; i < full; ++i) {
      carried = reduce_single(p, level, i * axis.block, axis.block, carried);
    }
  } else if (full > 1) {
    const Phase& phase = nest_.phases[p];
    const size_t blocks = carried.size() / std::max<size_t>(phase.reductions.size(), 1);
    for (size_t i = 0; i < carried.size(); ++i) {
      if (carried[i] != nullptr) continue;
      const compiler::Reduction& r = phase.reductions[i / blocks];
      carried[i] = fold_identity(g_, r.fold, phase.exprs[static_cast<size_t>(r.value)].dtype,
                                 plan.vector ? plan_.lanes : 1);
    }
    carried = emit_blocks(
        {axis, true, p}, g_.i64(0), g_.i64(full * axis.block), true, carried,
        [&](const Values& inside) { return reduce_block(p, level, axis.block, inside); });
  }
  if (rest > 0) carried = reduce_single(p, level, full * axis.block, rest, carried);
  return carried;
}

Values Lowering::reduce_single(size_t p, size_t level, int64_t start, int64_t size,
                               Values carried) {
  const Values saved = at_;
  enter({plan_.phases[p].loops[level], true, p}, g_.i64(start));
  carried = reduce_block(p, level, size, std::move(carried));
  at_ = saved;
  return carried;
}

/// The body of a reduction loop, for `size` indices. The caller has advanced the cursors (`at_`) to
/// the first of them.
Values Lowering::reduce_block(size_t p, size_t level, int64_t size, Values carried) {
  const PhasePlan& plan = plan_.phases[p];
  if (plan.reduce_vector && level + 1 == plan.loops.size()) {
    vectors_ = static_cast<int>(ceil_div(size, plan_.lanes));
    tail_ = static_cast<int>(size % plan_.lanes);
  }
  evaluate(p, plan_.loops.size() + level + 1);
  return reduce(p, level + 1, std::move(carried));
}

/// The innermost loop body: folds and stores values that have all been evaluated.
Values Lowering::body(size_t p, Values carried) {
  const Phase& phase = nest_.phases[p];
  const PhasePlan& plan = plan_.phases[p];
  const int vectors = plan.vector ? vectors_ : 1;
  const auto width = static_cast<size_t>(plan.vectors);
  size_t base = 0;
  for (const compiler::Reduction& r : phase.reductions) {
    const DType dtype = phase.exprs[static_cast<size_t>(r.value)].dtype;
    for (int row = 0; row < rows_; ++row) {
      for (int v = 0; v < vectors; ++v) {
        Value* value = value_at(p, r.value, row, v, plan.vector);
        if (plan.reduce_vector && active(v) != plan_.lanes) {
          value = g_.b.CreateSelect(memory::lane_mask(g_, plan_.lanes, active(v)), value,
                                    fold_identity(g_, r.fold, dtype, plan_.lanes));
        }
        Value*& sum = carried[base + static_cast<size_t>(row) * width + static_cast<size_t>(v)];
        sum = sum == nullptr ? value : fold(g_, r.fold, dtype, sum, value);
      }
    }
    base += static_cast<size_t>(rows_) * width;
  }
  emit_stores(p);
  return carried;
}

/// Turns accumulators into row values.
void Lowering::finish(size_t p, const Values& carried) {
  const Phase& phase = nest_.phases[p];
  const PhasePlan& plan = plan_.phases[p];
  const auto width = static_cast<size_t>(plan.vectors);
  size_t base = 0;
  for (size_t r = 0; r < phase.reductions.size(); ++r) {
    const compiler::Reduction& reduction = phase.reductions[r];
    const DType dtype = phase.exprs[static_cast<size_t>(reduction.value)].dtype;
    for (size_t row = 0; row < static_cast<size_t>(rows_); ++row) {
      Values sums(carried.begin() + static_cast<std::ptrdiff_t>(base + row * width),
                  carried.begin() + static_cast<std::ptrdiff_t>(base + (row + 1) * width));
      if (!plan.reduce_vector) {
        for (size_t v = 0; v < width; ++v) {
          Value* sum = sums[v];
          if (sum == nullptr) {
            sum = fold_identity(g_, reduction.fold, dtype, plan.vector ? plan_.lanes : 1);
          }
          phases_[p].rows[r][row * width + v] = sum;
        }
        continue;
      }
      std::erase(sums, nullptr);
      if (sums.empty()) sums.push_back(fold_identity(g_, reduction.fold, dtype, plan_.lanes));
      while (sums.size() > 1) {  // pairwise
        Values half;
        for (size_t i = 0; i + 1 < sums.size(); i += 2) {
          half.push_back(fold(g_, reduction.fold, dtype, sums[i], sums[i + 1]));
        }
        if (sums.size() % 2 != 0) half.push_back(sums.back());
        sums = std::move(half);
      }
      phases_[p].rows[r][row * width] = fold_lanes(g_, reduction.fold, dtype, sums[0]);
    }
    base += static_cast<size_t>(rows_) * width;
  }
}

}  // namespace antler::runtime::jit
