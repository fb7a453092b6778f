#pragma once

#include <span>

#include "antler/core/tensor.h"
#include "antler/ir/graph.h"
#include "antler/ir/op_def.h"

/// Gradients of single ops and of graphs. They are computed with ops, so they are differentiable.
namespace antler::ops {

/// The gradients of the inputs of one op, by its own rule or, for a composite, by the rules of the
/// ops that it consists of. `grads[i]` is undefined if output i does not influence the target. An
/// undefined result means no gradient. Throws NotImplementedError for an op without a gradient.
Tensors vjp_of_op(const ir::OpDef& op, const ir::VjpArgs& args);

/// Emits the nodes of `graph` with `inputs` in place of its inputs; returns its outputs. The graph
/// must not have states.
Tensors inline_graph(const ir::Graph& graph, std::span<const Tensor> inputs);

/// The gradients of the inputs of a graph, which is computed again for this. They may be undefined
/// as in vjp_of_op().
Tensors vjp_of_graph(const ir::Graph& graph, std::span<const Tensor> inputs,
                     std::span<const Tensor> output_grads);

}  // namespace antler::ops
