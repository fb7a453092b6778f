#pragma once

#include "antler/ir/graph.h"
#include "compiler/plan.h"

/// The passes over graphs, one file each. pipeline.cpp has their order.
namespace antler::compiler {

/// Composites become the ops that their `decompose` traces, unless a library kernel is preferred.
ir::Graph decompose(const ir::Graph& graph, const CompileOptions& options);
/// Algebraic identities, constant folding, views of views, control flow with a known course.
ir::Graph simplify(const ir::Graph& graph, const CompileOptions& options);
/// Equal nodes become one.
ir::Graph merge_equal(const ir::Graph& graph, const CompileOptions& options);
/// A scan that computes again what the scan before it computed on its way reads it from there.
ir::Graph share_scans(const ir::Graph& graph, const CompileOptions& options);
/// Products in bodies of scans read weights with the contracted dimension first; turning them is
/// left to hoist_scans.
ir::Graph turn_weights(const ir::Graph& graph, const CompileOptions& options);
/// What need not be done step by step leaves the bodies of scans: work on xs alone is done before,
/// sums over time and products that only results need after, for all steps at once.
ir::Graph hoist_scans(const ir::Graph& graph, const CompileOptions& options);
/// Nodes that no result needs go.
ir::Graph remove_dead(const ir::Graph& graph, const CompileOptions& options);
/// dot_general takes transposes into its dimension lists and becomes a (batched) product of two
/// matrices where it can.
ir::Graph canonical_dots(const ir::Graph& graph, const CompileOptions& options);
/// Ops that a loop nest computes well but that are no loop ops are written in loop ops: small
/// dot_general, argmax, argmin.
ir::Graph expand_to_loops(const ir::Graph& graph, const CompileOptions& options);
/// Large reductions to few elements become two: partial results for parallelism, then their sum.
/// The number of parts depends on shapes only.
ir::Graph split_reductions(const ir::Graph& graph, const CompileOptions& options);
/// What the backward pass asks of the operand of a relu it asks of its result, which is kept
/// anyway.
ir::Graph reuse_activations(const ir::Graph& graph, const CompileOptions& options);
/// The gradient of a max pool of a relu is masked while it is as small as the pool's result: where
/// the window's largest value is no more than zero, the relu passes nothing.
ir::Graph masks_before_pools(const ir::Graph& graph, const CompileOptions& options);
/// A convolution, its bias, a relu and a max pool become one op, whose gradient needs to know the
/// winner of each window and not the image; where nobody but a filter asks for the image's
/// gradient, and a library kernel takes it from the pool, that need not be there either.
ir::Graph fuse_conv_pools(const ir::Graph& graph, const CompileOptions& options);
/// Sums over windows that meet edge to edge become reductions, which fuse with what is around them.
ir::Graph disjoint_windows(const ir::Graph& graph, const CompileOptions& options);
/// Every result becomes a value of its own that a kernel can write in its place: no inputs,
/// literals, views of another result or values that are two results.
ir::Graph own_results(const ir::Graph& graph, const CompileOptions& options);

}  // namespace antler::compiler
