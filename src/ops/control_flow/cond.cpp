#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/control_flow.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/vjp.h"
#include "ops/control_flow/body.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

std::vector<TensorSpec> infer_cond(const ir::InferArgs& args) {
  if (args.regions.size() != 2) throw InternalError("cond needs two regions");
  if (!(args.inputs[0] == TensorSpec{DType::boolean, {}})) {
    throw ValueError("ops::cond: the predicate must be a boolean scalar. Received: {}",
                     spec_str(args.inputs[0]));
  }
  const ir::Graph& then = *args.regions[0];
  const ir::Graph& other = *args.regions[1];
  for (const ir::Graph* region : {&then, &other}) {
    require_specs("cond", "capture", region_specs(*region, region->inputs), args.inputs.subspan(1));
  }
  std::vector<TensorSpec> outputs = region_specs(then, then.outputs);
  require_specs("cond", "output", outputs, region_specs(other, other.outputs));
  return outputs;
}

void reference_cond(const ir::ReferenceArgs& args) {
  const ir::GraphPtr& region = args.regions[*args.inputs[0].data<bool>() ? 0 : 1];
  const Tensors results = run_region(*region, args.inputs.subspan(1));
  for (size_t i = 0; i < results.size(); ++i) copy_elements(results[i], args.outputs[i]);
}

/// The gradient is a cond of the gradients of both branches.
Tensors vjp_cond(const ir::VjpArgs& args) {
  const std::span<const Tensor> captures = args.inputs.subspan(1);
  std::vector<size_t> wanted;
  for (size_t i = 0; i < captures.size(); ++i) {
    if (is_floating(captures[i].dtype())) wanted.push_back(i);
  }
  std::vector<char> flows(captures.size(), 0);
  const auto branch = [&](const ir::Graph& region) {
    const Tensors grads = vjp_of_graph(region, captures, args.grads);
    Tensors result;
    for (size_t i : wanted) {
      if (grads[i].defined()) flows[i] = 1;
      result.push_back(grads[i].defined() ? grads[i] : zeros_like(captures[i]));
    }
    return result;
  };
  const Tensors chosen = cond(
      args.inputs[0], [&] { return branch(*args.regions[0]); },
      [&] { return branch(*args.regions[1]); });
  Tensors grads(args.inputs.size());
  for (size_t w = 0; w < wanted.size(); ++w) {
    if (flows[wanted[w]] != 0) grads[wanted[w] + 1] = chosen[w];
  }
  return grads;
}

/// Makes both branches return the final values of all variables that either assigns, in the same
/// order.
std::vector<Variable> unify_assigned(Body& a, Body& b) {
  std::vector<Variable> all = a.assigned;
  for (const Variable& v : b.assigned) {
    if (std::find(all.begin(), all.end(), v) == all.end()) all.push_back(v);
  }
  for (Body* body : {&a, &b}) {
    std::vector<ir::ValueId> outputs(
        body->graph.outputs.begin(),
        body->graph.outputs.begin() + static_cast<std::ptrdiff_t>(body->num_outputs));
    for (const Variable& v : all) {
      const auto it = std::find(body->assigned.begin(), body->assigned.end(), v);
      if (it == body->assigned.end()) {  // unchanged in this branch
        outputs.push_back(require_capture(*body, v.value()));
      } else {
        const auto index = static_cast<size_t>(it - body->assigned.begin());
        outputs.push_back(body->graph.outputs[body->num_outputs + index]);
      }
    }
    body->graph.outputs = std::move(outputs);
    body->assigned = all;
  }
  return all;
}

}  // namespace

const ir::OpDef kCond = {
    .name = "cond", .infer = infer_cond, .vjp = vjp_cond, .reference = reference_cond};

std::vector<Tensor> cond(const Tensor& predicate,
                         const std::function<std::vector<Tensor>()>& if_true,
                         const std::function<std::vector<Tensor>()>& if_false) {
  require_defined("cond", predicate);
  if (predicate.is_value()) return predicate.item() != 0 ? if_true() : if_false();
  const Tensor chosen = cast(reshape(predicate, {}), DType::boolean);
  Body then = trace_body("cond", {}, [&](const Tensors&) { return if_true(); });
  Body other = trace_body("cond", {}, [&](const Tensors&) { return if_false(); });
  const std::vector<Variable> assigned = unify_assigned(then, other);
  Body* const bodies[] = {&then, &other};
  const Tensors captures = unify_captures(bodies);
  Tensors outputs = ir::emit(kCond, joined({&chosen, 1}, captures), {},
                             {std::make_shared<const ir::Graph>(std::move(then.graph)),
                              std::make_shared<const ir::Graph>(std::move(other.graph))});
  const size_t count = outputs.size() - assigned.size();
  for (size_t i = 0; i < assigned.size(); ++i) assigned[i].assign(outputs[count + i]);
  outputs.resize(count);
  return outputs;
}

std::vector<Tensor> switch_(const Tensor& index,
                            const std::vector<std::function<std::vector<Tensor>()>>& branches) {
  require_defined("switch_", index);
  if (branches.empty()) throw ValueError("ops::switch_: needs at least one branch.");
  // A chain of conds: the first branch i with index <= i runs.
  const auto from = [&](const auto& self, size_t i) -> std::vector<Tensor> {
    if (i + 1 == branches.size()) return branches[i]();
    return cond(less_equal(index, Tensor(static_cast<int64_t>(i))), branches[i],
                [&] { return self(self, i + 1); });
  };
  return from(from, 0);
}

}  // namespace antler::ops
