#pragma once

#include <span>

#include "antler/core/tensor.h"
#include "antler/ir/graph.h"
#include "antler/ir/op_def.h"

/// Gradients of single ops and of graphs, computed with ops: they can be differentiated again.
namespace antler::ops {

/// Gradients of the inputs of one op: its own rule, or that of its plain version if it is a
/// composite. `grads[i]` undefined: output i does not influence the target; a result undefined: no
/// gradient. Throws NotImplementedError for an op that cannot be differentiated.
Tensors vjp_of_op(const ir::OpDef& op, const ir::VjpArgs& args);

/// Emits the nodes of `graph` with `inputs` in place of its inputs; returns its outputs. The graph
/// must not have states.
Tensors inline_graph(const ir::Graph& graph, std::span<const Tensor> inputs);

/// Gradients of the inputs of a graph, which is computed again for it. Undefined as in vjp_of_op().
Tensors vjp_of_graph(const ir::Graph& graph, std::span<const Tensor> inputs,
                     std::span<const Tensor> output_grads);

}  // namespace antler::ops
