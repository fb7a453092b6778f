#pragma once

#include "antler/ir/graph.h"
#include "compiler/plan.h"

/// Graph passes, one file each. pipeline.cpp sets their order.
namespace antler::compiler {

/// Replaces programs of replicas on several devices (ops/spmd.h) by programs of all replicas on one
/// device.
ir::Graph expand_replicas(const ir::Graph& graph, const CompileOptions& options);
/// Joins all_reduces over workers that do not depend on each other: one message instead of one per
/// variable, or a few buckets of gradients that are sent while later gradients are computed. Runs
/// before the passes that simplify a graph, because all workers must build the same messages and a
/// later pass may find that one worker has nothing to add.
ir::Graph bucket_all_reduces(const ir::Graph& graph, const CompileOptions& options);
/// Replaces composites by the ops that their `decompose` traces, unless a library kernel supports
/// them.
ir::Graph decompose(const ir::Graph& graph, const CompileOptions& options);
/// Computes on the parts of variables that are divided over devices; see partition.cpp.
ir::Graph partition(const ir::Graph& graph, const CompileOptions& options);
/// Algebraic identities, constant folding, views of views, branches and loops with known
/// conditions.
ir::Graph simplify(const ir::Graph& graph, const CompileOptions& options);
/// Common subexpression elimination.
ir::Graph cse(const ir::Graph& graph, const CompileOptions& options);
/// Dead code elimination: removes nodes that no result depends on.
ir::Graph dce(const ir::Graph& graph, const CompileOptions& options);
/// A scan that recomputes intermediate values of an earlier scan reads them from that scan.
ir::Graph share_scans(const ir::Graph& graph, const CompileOptions& options);
/// Transposes loop-invariant weights in scan bodies, so that products read them contiguously.
/// hoist_scans then moves the transpose out of the loop.
ir::Graph transpose_weights(const ir::Graph& graph, const CompileOptions& options);
/// Moves work out of scan bodies that does not depend on the carried state: work on the inputs goes
/// before the scan, sums over time and products that only results need go after it. Both then
/// handle all steps at once.
ir::Graph hoist_scans(const ir::Graph& graph, const CompileOptions& options);
/// Folds transposes into the dimension lists of dot_general, and turns it into a (batched) matrix
/// product where possible.
ir::Graph canonical_dots(const ir::Graph& graph, const CompileOptions& options);
/// Rewrites ops that run well as loop nests as element-wise ops and reductions: small dot_general,
/// argmax, argmin.
ir::Graph expand_to_loops(const ir::Graph& graph, const CompileOptions& options);
/// Splits a large reduction to few elements into two steps: partial results in parallel, then their
/// sum. The number of parts depends only on shapes.
ir::Graph split_reductions(const ir::Graph& graph, const CompileOptions& options);
/// Gradients that test the input of a relu test its output instead, which is in memory anyway.
ir::Graph reuse_activations(const ir::Graph& graph, const CompileOptions& options);
/// Applies the mask of a relu before the gradient of the max pool after it, where the tensor is
/// still small: if the largest value of a window is not positive, the relu passes no gradient.
ir::Graph masks_before_pools(const ir::Graph& graph, const CompileOptions& options);
/// Fuses convolution, bias, relu and max pool into one op. Its gradient needs the position of the
/// maximum in each window instead of the image. If only the filter's gradient uses the gradient of
/// the image, and a library kernel computes it from the pool's gradient, that image is not
/// materialized either.
ir::Graph fuse_conv_pools(const ir::Graph& graph, const CompileOptions& options);
/// Turns sums over windows that do not overlap into plain reductions, which fuse with their
/// neighbours.
ir::Graph disjoint_windows(const ir::Graph& graph, const CompileOptions& options);
/// Gives each result a separate value that a kernel can write in place: results must not be inputs,
/// literals or views of other results, and must not appear twice.
ir::Graph own_results(const ir::Graph& graph, const CompileOptions& options);

}  // namespace antler::compiler
