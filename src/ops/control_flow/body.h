#pragma once

#include <functional>
#include <span>
#include <vector>

#include "antler/core/variable.h"
#include "antler/ir/graph.h"

/// Traces C++ functions as regions of control flow ops.
namespace antler::ops {

extern const ir::OpDef kCond;
extern const ir::OpDef kWhile;
extern const ir::OpDef kScan;
extern const ir::OpDef kAllReduce;
extern const ir::OpDef kAllGather;
extern const ir::OpDef kReduceScatter;

using BodyFn = std::function<Tensors(const Tensors&)>;

/// A traced body. The inputs of the graph are the arguments, then `captures`, the outer tensors
/// that the body uses. The outputs are the results of the function, then the final values of the
/// variables that it assigned.
struct Body {
  ir::Graph graph;
  size_t num_arguments = 0;
  size_t num_outputs = 0;
  Tensors captures;
  std::vector<Variable> assigned;
};

/// Traces `f` for control flow op `op`. Op observers do not see the ops of the body. Read observers
/// see one read of each variable that the body reads.
Body trace_body(const char* op, const std::vector<TensorSpec>& arguments, const BodyFn& f);

/// Gives all bodies the same captures in the same order, and returns them.
Tensors unify_captures(std::span<Body* const> bodies);

/// The value of the outer tensor `capture` in `body`; adds an input to the body if there is none
/// for it yet.
ir::ValueId require_capture(Body& body, const Tensor& capture);

/// Whether control flow must be recorded: this thread is tracing, or a tensor has no value.
bool must_trace(std::span<const Tensor> tensors);

std::vector<TensorSpec> specs_of(std::span<const Tensor> tensors);
/// Makes tensors strong: the dtype of a weak scalar could change in the first iteration.
Tensors strong(Tensors tensors);

/// Throws ValueError unless `given` equals `expected`. The message contains `op` and `what` ("loop
/// value").
void require_specs(const char* op, const char* what, std::span<const TensorSpec> expected,
                   std::span<const TensorSpec> given);
std::vector<TensorSpec> region_specs(const ir::Graph& graph, std::span<const ir::ValueId> values);

/// Runs a region with the reference loops.
Tensors run_region(const ir::Graph& graph, std::span<const Tensor> inputs);
/// Copies the elements of `from` into the equally shaped `to`.
void copy_elements(const Tensor& from, const Tensor& to);

/// Concatenates two lists.
Tensors joined(std::span<const Tensor> head, std::span<const Tensor> tail);

}  // namespace antler::ops
