#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ir/tracer.h"
#include "antler/ops/control_flow.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/control_flow/body.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

std::vector<TensorSpec> infer_while(const ir::InferArgs& args) {
  if (args.regions.size() != 2) throw InternalError("while needs two regions");
  const ir::Graph& condition = *args.regions[0];
  const ir::Graph& body = *args.regions[1];
  for (const ir::Graph* region : {&condition, &body}) {
    require_specs("while_loop", "operand", region_specs(*region, region->inputs), args.inputs);
  }
  const TensorSpec expected[] = {{DType::boolean, {}}};
  require_specs("while_loop", "condition", expected, region_specs(condition, condition.outputs));
  const auto count = static_cast<size_t>(args.attrs.integer("num_values"));
  require_specs("while_loop", "loop value", args.inputs.first(count),
                region_specs(body, body.outputs));
  return {args.inputs.begin(), args.inputs.begin() + static_cast<std::ptrdiff_t>(count)};
}

void reference_while(const ir::ReferenceArgs& args) {
  const auto count = static_cast<size_t>(args.attrs.integer("num_values"));
  const int64_t limit = args.attrs.integer("max_iterations");
  Tensors operands(args.inputs.begin(), args.inputs.end());
  for (int64_t i = 0; limit < 0 || i < limit; ++i) {
    if (!*run_region(*args.regions[0], operands)[0].data<bool>()) break;
    const Tensors next = run_region(*args.regions[1], operands);
    std::copy(next.begin(), next.end(), operands.begin());
  }
  for (size_t i = 0; i < count; ++i) copy_elements(operands[i], args.outputs[i]);
}

Tensors vjp_while(const ir::VjpArgs&) {
  throw NotImplementedError(
      "ops::while_loop has no gradient, because its number of iterations is not known beforehand. "
      "Use ops::scan or ops::fori_loop, or ops::stop_gradient on the result.");
}

using ConditionFn = std::function<Tensor(const std::vector<Tensor>&)>;

/// Without a trace, the loop is a C++ loop.
Tensors run_now(const ConditionFn& condition, const BodyFn& body, Tensors values, int64_t limit) {
  const std::vector<TensorSpec> specs = specs_of(values);
  for (int64_t i = 0; limit < 0 || i < limit; ++i) {
    const Tensor holds = condition(values);
    require_defined("while_loop", holds);
    if (holds.item() == 0) break;
    Tensors next = strong(body(values));
    require_specs("while_loop", "loop value", specs, specs_of(next));
    values = std::move(next);
  }
  return values;
}

}  // namespace

const ir::OpDef kWhile = {
    .name = "while", .infer = infer_while, .vjp = vjp_while, .reference = reference_while};

std::vector<Tensor> while_loop(const ConditionFn& condition, const BodyFn& body,
                               std::vector<Tensor> values, WhileLoopOptions options) {
  for (const Tensor& t : values) require_defined("while_loop", t);
  values = strong(std::move(values));
  const int64_t maximum_iterations = options.maximum_iterations;
  if (!must_trace(values)) return run_now(condition, body, std::move(values), maximum_iterations);

  Body traced = trace_body("while_loop", specs_of(values), body);
  const std::vector<Variable> assigned = traced.assigned;
  const size_t count = values.size();
  // Variables that the body assigns become loop values: the body is traced again with them as
  // arguments. (The first trace cannot be patched: it has a single capture for the initial value of
  // a variable and for tensors that were read from it before the loop.)
  const auto set_variables = [&](const Tensors& arguments) {
    for (size_t i = 0; i < assigned.size(); ++i) assigned[i].assign(arguments[count + i]);
    return Tensors(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(count));
  };
  for (const Variable& v : assigned) values.push_back(v.value());
  if (!assigned.empty()) {
    traced = trace_body("while_loop", specs_of(values), [&](const Tensors& arguments) {
      Tensors next = body(set_variables(arguments));
      for (const Variable& v : assigned) next.push_back(v.value());
      return next;
    });
  }
  Body test = trace_body("while_loop", specs_of(values), [&](const Tensors& arguments) -> Tensors {
    return {cast(reshape(condition(set_variables(arguments)), {}), DType::boolean)};
  });
  for (const Variable& v : test.assigned) {
    if (std::find(assigned.begin(), assigned.end(), v) != assigned.end()) continue;
    throw ValueError("ops::while_loop: the condition must not assign variables. It assigned `{}`.",
                     v.path());
  }
  for (Body* part : {&test, &traced}) part->graph.outputs.resize(part->num_outputs);
  require_specs("while_loop", "loop value", specs_of(values),
                region_specs(traced.graph, traced.graph.outputs));
  Body* const bodies[] = {&test, &traced};
  const Tensors captures = unify_captures(bodies);
  Tensors outputs = ir::emit(
      kWhile, joined(values, captures),
      {{"num_values", static_cast<int64_t>(values.size())}, {"max_iterations", maximum_iterations}},
      {std::make_shared<const ir::Graph>(std::move(test.graph)),
       std::make_shared<const ir::Graph>(std::move(traced.graph))});
  for (size_t i = 0; i < assigned.size(); ++i) assigned[i].assign(outputs[count + i]);
  outputs.resize(count);
  return outputs;
}

}  // namespace antler::ops
