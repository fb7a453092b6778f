#include "runtime/cpu/jit/loop_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/ceil_div.h"
#include "runtime/cpu/jit/op_rules.h"

namespace antler::runtime::jit {

using compiler::Access;
using compiler::Expr;
using compiler::is_half;
using compiler::LoopNest;
using compiler::Phase;

namespace {

/// Loops over the vector axis of at most this many vectors are fully unrolled.
constexpr int64_t kUnrolledVectors = 8;
constexpr int kMaxVectors = 4;
constexpr int64_t kLongReduction = 16;

DimSet access_bits(const Access& access) {
  DimSet bits = 0;
  for (size_t d = 0; d < access.parallel.size(); ++d) {
    if (access.parallel[d] != 0) bits |= parallel_bit(static_cast<int>(d));
  }
  for (size_t d = 0; d < access.reduction.size(); ++d) {
    if (access.reduction[d] != 0) bits |= reduction_bit(static_cast<int>(d));
  }
  return bits;
}

int compute_bytes(DType dtype) { return is_half(dtype) ? 4 : static_cast<int>(dtype_size(dtype)); }

/// Elements per register. 8-byte elements decide if they outnumber 4-byte ones; otherwise 4-byte
/// elements decide if there are any, then 2-byte elements, then 1-byte elements.
int choose_lanes(const LoopNest& nest, const TargetInfo& target) {
  int four = 0;
  int eight = 0;
  int two = 0;
  for (const Phase& phase : nest.phases) {
    for (const Expr& e : phase.exprs) {
      if (e.kind == Expr::Kind::constant || e.dtype == DType::boolean) continue;
      const int bytes = compute_bytes(e.dtype);
      (bytes == 8 ? eight : bytes == 4 ? four : two) += 1;
    }
  }
  if (eight > four) return target.vector_bytes / 8;
  if (four > 0) return target.vector_bytes / 4;
  return target.vector_bytes / (two > 0 ? 2 : 1);
}

size_t count_reductions(const LoopNest& nest) {
  size_t n = 0;
  for (const Phase& phase : nest.phases) n = std::max(n, phase.reductions.size());
  return n;
}

/// Estimated instructions per vector.
double weight(const Phase& phase) {
  double total = 0;
  for (const Expr& e : phase.exprs) {
    if (e.kind == Expr::Kind::load) total += 1;
    if (e.kind == Expr::Kind::op) total += 2 * find_rule(e.op->name)->cycles;
  }
  return total;
}

/// Vectors per iteration: enough to hide latency, but few enough for the registers and for the
/// compile time, which grows with the number of instructions.
int block_vectors(const Phase& phase) {
  const double w = weight(phase);
  if (w > 28) return 1;
  return w > 14 || phase.reductions.size() > 2 ? 2 : kMaxVectors;
}

/// Phases with a long reduction dominate the run time, so they alone decide. A smaller block, which
/// a short phase might need, would slow them down: with one vector per block and rows far apart,
/// every vector would be on a different page.
int block_vectors(const LoopNest& nest) {
  int vectors = kMaxVectors;
  bool reduces = false;
  for (const Phase& phase : nest.phases) {
    int64_t points = 1;
    for (const int64_t extent : phase.extents) points *= extent;
    if (points < kLongReduction) continue;
    reduces = true;
    vectors = std::min(vectors, block_vectors(phase));
  }
  if (reduces) return vectors;
  for (const Phase& phase : nest.phases) vectors = std::min(vectors, block_vectors(phase));
  return vectors;
}

/// Estimates the cycles of a plan. As in the generated code, an expression is evaluated in the
/// innermost loop that it depends on, once for all rows and vectors that it does not depend on.
class CostModel {
 public:
  CostModel(const LoopNest& nest, const std::vector<std::vector<DimSet>>& bits,
            const LoopPlan& plan, const TargetInfo& target)
      : nest_(nest), bits_(bits), plan_(plan), target_(target) {}

  double cycles() const {
    double total = 0;
    double iterations = 1;
    for (const LoopAxis& axis : plan_.loops) {
      iterations *= static_cast<double>(axis.iterations());
      total += iterations;
    }
    for (size_t p = 0; p < nest_.phases.size(); ++p) total += phase_cycles(p, iterations);
    return total;
  }

 private:
  double vector_factor(DType dtype) const {
    return std::max(1.0,
                    static_cast<double>(plan_.lanes * compute_bytes(dtype)) / target_.vector_bytes);
  }

  double access_cycles(const Access& access, DType dtype, DimSet vector_bit, bool store) const {
    const int64_t stride = vector_bit == 0 ? 0 : stride_of(access, vector_bit);
    if (stride == 0) return store ? 1 : 0.75;
    const double factor = vector_factor(dtype);
    if (stride == 1) return (store ? 1 : 0.5) * factor;
    const bool far = std::abs(stride) * static_cast<int64_t>(dtype_size(dtype)) >= 64;
    return plan_.lanes * (store ? 1.5 : 1.0) * (far ? 1.5 : 1.0);
  }

  double phase_cycles(size_t p, double points) const {
    const Phase& phase = nest_.phases[p];
    const PhasePlan& plan = plan_.phases[p];
    DimSet vector_bit = 0;
    if (plan.vector) {
      vector_bit = plan.reduce_vector ? reduction_bit(plan.loops.back().dim)
                                      : parallel_bit(plan_.vector_dim);
    }
    const DimSet row_bit = plan_.row_dim < 0 ? 0 : parallel_bit(plan_.row_dim);
    double innermost = points;
    double loop_cycles = 0;
    for (const LoopAxis& axis : plan.loops) {
      innermost *= static_cast<double>(axis.iterations());
      loop_cycles += innermost;
    }
    auto evaluations = [&](DimSet bits) {
      double n = 1;
      double reached = 1;
      auto visit = [&](const LoopAxis& axis, DimSet bit) {
        reached *= static_cast<double>(axis.iterations());
        if ((bits & bit) != 0) n = reached;
      };
      for (const LoopAxis& axis : plan_.loops) visit(axis, parallel_bit(axis.dim));
      for (const LoopAxis& axis : plan.loops) visit(axis, reduction_bit(axis.dim));
      if ((bits & row_bit) != 0) n *= plan_.rows;
      if ((bits & vector_bit) != 0) n *= plan.vectors;
      return n;
    };
    double body = 0;
    for (size_t i = 0; i < phase.exprs.size(); ++i) {
      const Expr& e = phase.exprs[i];
      const DimSet bits = bits_[p][i];
      double each = 0;
      if (e.kind == Expr::Kind::load) {
        each = access_cycles(e.access, e.dtype, vector_bit, false);
      } else if (e.kind == Expr::Kind::op) {
        each = find_rule(e.op->name)->cycles;
        each *= (bits & vector_bit) != 0 ? vector_factor(e.dtype) : each >= 100 ? 1.0 / 8 : 1;
      }
      body += each * evaluations(bits);
    }
    const double block = static_cast<double>(plan_.rows) * plan.vectors;
    for (const compiler::Store& store : phase.stores) {
      body += access_cycles(store.access, store.dtype, vector_bit, true) * innermost * block;
    }
    const auto reductions = static_cast<double>(phase.reductions.size());
    if (reductions > 0) {
      body += 0.5 * reductions * innermost * block;
      // Dependent additions have a latency of four cycles.
      if (innermost > points) body = std::max(body, 4 * innermost);
      if (plan.reduce_vector) {
        body += points * plan_.rows * reductions *
                (3.0 * std::bit_width(static_cast<unsigned>(plan_.lanes)) + plan.vectors);
      }
    }
    return body + loop_cycles;
  }

  const LoopNest& nest_;
  const std::vector<std::vector<DimSet>>& bits_;
  const LoopPlan& plan_;
  const TargetInfo& target_;
};

class Planner {
 public:
  Planner(const LoopNest& nest, const TargetInfo& target)
      : nest_(nest),
        target_(target),
        bits_(dependences(nest)),
        lanes_(choose_lanes(nest, target)) {}

  LoopPlan best() {
    consider(-1, -1);
    const int rank = static_cast<int>(nest_.extents.size());
    if (std::find(nest_.extents.begin(), nest_.extents.end(), 0) != nest_.extents.end())
      return best_;
    for (int v = -1; v < rank; ++v) {
      if (v >= 0) consider(v, -1);
      for (int r = 0; r < rank; ++r) {
        if (r != v && saves_loads(r)) consider(v, r);
      }
    }
    return best_;
  }

 private:
  /// Whether a reduction loads values that do not depend on a parallel dimension, so that blocking
  /// this dimension saves loads.
  bool saves_loads(int dim) const {
    for (size_t p = 0; p < nest_.phases.size(); ++p) {
      const Phase& phase = nest_.phases[p];
      if (phase.reductions.empty() || phase.extents.empty()) continue;
      for (size_t i = 0; i < phase.exprs.size(); ++i) {
        const DimSet bits = bits_[p][i];
        if (phase.exprs[i].kind == Expr::Kind::load && (bits >> kReductionBit) != 0 &&
            (bits & parallel_bit(dim)) == 0) {
          return true;
        }
      }
    }
    return false;
  }

  int vectors_for(int64_t extent, int max) const {
    const int64_t vectors = ceil_div(extent, lanes_);
    const bool unrolled = vectors <= kUnrolledVectors && max >= kMaxVectors && extent % lanes_ == 0;
    if (unrolled || vectors <= max) return static_cast<int>(std::max<int64_t>(vectors, 1));
    return max;
  }

  /// Rows per block: as many as fit into registers, preferably without a remainder.
  int rows_for(int64_t extent, int vectors) const {
    const auto reductions = static_cast<int>(std::max<size_t>(count_reductions(nest_), 1));
    const int limit = std::max(1, target_.vector_registers * 3 / 4 / (vectors * reductions));
    const int max = static_cast<int>(std::min<int64_t>({limit, 8, extent}));
    for (int rows = max; rows * 2 > max; --rows) {
      if (extent % rows == 0) return rows;
    }
    return max;
  }

  /// The reduction dimension with the most accesses of stride 1; of several such dimensions, the
  /// innermost one.
  int reduction_axis(const Phase& phase) const {
    int best = static_cast<int>(phase.extents.size()) - 1;
    int best_score = -1;
    for (int d = best; d >= 0; --d) {
      int score = 0;
      auto count = [&](const Access& a) {
        score += a.reduction[static_cast<size_t>(d)] == 1 ? 1 : 0;
      };
      for (const Expr& e : phase.exprs) {
        if (e.kind == Expr::Kind::load) count(e.access);
      }
      for (const compiler::Store& store : phase.stores) count(store.access);
      if (score > best_score) {
        best_score = score;
        best = d;
      }
    }
    return best;
  }

  PhasePlan plan_phase(const Phase& phase, bool reduce_vector) const {
    PhasePlan plan;
    const int axis = reduce_vector && !phase.extents.empty() ? reduction_axis(phase) : -1;
    for (int d = 0; d < static_cast<int>(phase.extents.size()); ++d) {
      if (d != axis) plan.loops.push_back({d, phase.extents[static_cast<size_t>(d)], 1});
    }
    if (axis < 0) return plan;
    plan.vector = plan.reduce_vector = true;
    const int64_t extent = phase.extents[static_cast<size_t>(axis)];
    plan.vectors = vectors_for(extent, block_vectors(phase));
    plan.loops.push_back({axis, extent, int64_t{plan.vectors} * lanes_});
    return plan;
  }

  void consider(int vector_dim, int row_dim) {
    LoopPlan plan;
    plan.lanes = lanes_;
    plan.vector_dim = vector_dim;
    plan.row_dim = row_dim;
    int vectors = 1;
    if (vector_dim >= 0) {
      const int64_t extent = nest_.extents[static_cast<size_t>(vector_dim)];
      vectors = vectors_for(extent, row_dim < 0 ? block_vectors(nest_) : 2);
    }
    for (const Phase& phase : nest_.phases) {
      plan.phases.push_back(plan_phase(phase, vector_dim < 0));
      PhasePlan& p = plan.phases.back();
      if (vector_dim >= 0) {
        p.vector = true;
        p.vectors = vectors;
      }
      if (row_dim >= 0 && vector_dim < 0) {  // rows provide the independent accumulators
        if (p.reduce_vector && p.vectors > 1 && p.loops.back().iterations() > 1) {
          p.vectors = 1;
          p.loops.back().block = lanes_;
        }
        vectors = std::max(vectors, p.vectors);
      }
    }
    for (int d = 0; d < static_cast<int>(nest_.extents.size()); ++d) {
      if (d != vector_dim && d != row_dim) {
        plan.loops.push_back({d, nest_.extents[static_cast<size_t>(d)], 1});
      }
    }
    if (row_dim >= 0) {
      const int64_t extent = nest_.extents[static_cast<size_t>(row_dim)];
      plan.rows = rows_for(extent, vectors);
      if (plan.rows == 1) return;
      plan.loops.push_back({row_dim, extent, plan.rows});
    }
    if (vector_dim >= 0) {
      plan.loops.push_back(
          {vector_dim, nest_.extents[static_cast<size_t>(vector_dim)], int64_t{vectors} * lanes_});
    }
    plan.cycles = CostModel(nest_, bits_, plan, target_).cycles();
    if (best_.loops.empty() && best_.phases.empty()) {
      best_ = std::move(plan);
    } else if (plan.cycles < best_.cycles) {
      best_ = std::move(plan);
    }
  }

  const LoopNest& nest_;
  const TargetInfo& target_;
  std::vector<std::vector<DimSet>> bits_;
  int lanes_;
  LoopPlan best_;
};

}  // namespace

std::vector<std::vector<DimSet>> dependences(const LoopNest& nest) {
  DimSet all = 0;
  for (size_t d = 0; d < nest.extents.size(); ++d) all |= parallel_bit(static_cast<int>(d));
  std::vector<std::vector<DimSet>> result;
  for (const Phase& phase : nest.phases) {
    std::vector<DimSet>& bits = result.emplace_back();
    for (const Expr& e : phase.exprs) {
      DimSet mine = 0;
      if (e.kind == Expr::Kind::load || e.kind == Expr::Kind::index) mine = access_bits(e.access);
      if (e.kind == Expr::Kind::row) mine = all;
      for (int arg : e.args) mine |= bits[static_cast<size_t>(arg)];
      bits.push_back(mine);
    }
  }
  return result;
}

int64_t stride_of(const Access& access, DimSet bit) {
  const int d = std::countr_zero(bit);
  return d < kReductionBit ? access.parallel[static_cast<size_t>(d)]
                           : access.reduction[static_cast<size_t>(d - kReductionBit)];
}

double traffic_bytes(const LoopNest& nest) {
  double bytes = 0;
  for (const Phase& phase : nest.phases) {
    const auto add = [&](const Access& access, DType dtype) {
      auto count = static_cast<double>(dtype_size(dtype));
      for (size_t d = 0; d < access.parallel.size(); ++d) {
        if (access.parallel[d] != 0) count *= static_cast<double>(nest.extents[d]);
      }
      for (size_t d = 0; d < access.reduction.size(); ++d) {
        if (access.reduction[d] != 0) count *= static_cast<double>(phase.extents[d]);
      }
      bytes += count;
    };
    for (const Expr& e : phase.exprs) {
      if (e.kind == Expr::Kind::load) add(e.access, e.dtype);
    }
    for (const compiler::Store& store : phase.stores) add(store.access, store.dtype);
  }
  return bytes;
}

LoopPlan plan_loops(const LoopNest& nest, const TargetInfo& target) {
  return Planner(nest, target).best();
}

}  // namespace antler::runtime::jit
