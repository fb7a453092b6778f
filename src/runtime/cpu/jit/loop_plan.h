#pragma once

#include <cstdint>
#include <vector>

#include "base/ceil_div.h"
#include "compiler/loop_nest.h"
#include "runtime/cpu/jit/gen.h"

/// Maps a nest to loops, vector lanes and registers.
///
/// One dimension becomes the *vector axis*. If it is a parallel dimension, all values are vectors
/// over it, row values too. If it is a reduction dimension of each phase, accumulators are vectors
/// that are folded at the end of the phase, and row values are scalars. A block of `vectors`
/// vectors is computed per iteration. A second parallel dimension may become the *row axis*, which
/// is unrolled by `rows` (register blocking): the rows share whatever does not depend on that axis.
namespace antler::runtime::jit {

struct LoopAxis {
  int dim = 0;
  int64_t extent = 1;
  int64_t block = 1;  ///< indices per iteration
  int64_t iterations() const { return ceil_div(extent, block); }
};

struct PhasePlan {
  std::vector<LoopAxis> loops;  ///< over the reduction space, outermost first
  bool vector = false;          ///< values of this phase are vectors
  bool reduce_vector = false;   ///< the last loop is the vector axis
  int vectors = 1;
};

struct LoopPlan {
  int lanes = 1;
  int vector_dim = -1;  ///< parallel dimension; -1: a reduction dimension of each phase
  int row_dim = -1;
  int rows = 1;
  std::vector<LoopAxis> loops;  ///< over the parallel space, outermost first
  std::vector<PhasePlan> phases;
  double cycles = 0;  ///< estimate for the whole nest
};

/// Set of dimensions that an expression depends on: a bit per dimension of the parallel space and,
/// starting at kReductionBit, a bit per dimension of the reduction space of its phase.
using DimSet = uint64_t;
inline constexpr int kReductionBit = 32;
inline DimSet parallel_bit(int dim) { return DimSet{1} << dim; }
inline DimSet reduction_bit(int dim) { return DimSet{1} << (kReductionBit + dim); }
/// The dimensions of each expression of each phase.
std::vector<std::vector<DimSet>> dependences(const compiler::LoopNest& nest);

/// Stride of an access along a dimension.
int64_t stride_of(const compiler::Access& access, DimSet bit);

/// Bytes that a nest reads and writes: each element once per load or store.
double traffic_bytes(const compiler::LoopNest& nest);

/// The plan with the lowest estimated cost, for a nest after merge_dimensions().
LoopPlan plan_loops(const compiler::LoopNest& nest, const TargetInfo& target);

}  // namespace antler::runtime::jit
