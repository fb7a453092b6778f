#include "ops/control_flow/body.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ir/tracer.h"
#include "ops/support.h"

namespace antler::ops {
namespace {

/// Collects the variables that are read during its lifetime.
class ReadCollector final : public VariableReadObserver {
 public:
  ReadCollector() { add_read_observer(this); }
  ~ReadCollector() override { remove_read_observer(this); }
  ReadCollector(const ReadCollector&) = delete;
  ReadCollector& operator=(const ReadCollector&) = delete;

  void on_read(const Variable& variable, const Tensor&) override {
    if (std::find(variables_.begin(), variables_.end(), variable) == variables_.end()) {
      variables_.push_back(variable);
    }
  }
  const std::vector<Variable>& variables() const { return variables_; }

 private:
  std::vector<Variable> variables_;
};

void set_inputs(ir::Graph& graph, std::vector<ir::ValueId> inputs) {
  graph.inputs = std::move(inputs);
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    graph.values[static_cast<size_t>(graph.inputs[i])].index = static_cast<int32_t>(i);
  }
}

/// Removes captures that neither a node nor an output uses.
void drop_unused_captures(Body& body) {
  std::vector<char> used(body.graph.values.size(), 0);
  const auto use = [&](ir::ValueId v) { used[static_cast<size_t>(v)] = 1; };
  for (const ir::Node& node : body.graph.nodes) {
    for (ir::ValueId v : node.inputs) use(v);
  }
  for (ir::ValueId v : body.graph.outputs) use(v);
  Tensors captures;
  std::vector<ir::ValueId> inputs(
      body.graph.inputs.begin(),
      body.graph.inputs.begin() + static_cast<std::ptrdiff_t>(body.num_arguments));
  for (size_t i = 0; i < body.captures.size(); ++i) {
    const ir::ValueId v = body.graph.inputs[body.num_arguments + i];
    if (used[static_cast<size_t>(v)] == 0) continue;
    inputs.push_back(v);
    captures.push_back(body.captures[i]);
  }
  set_inputs(body.graph, std::move(inputs));
  body.captures = std::move(captures);
  body.graph = ir::prune(body.graph);  // renumbers the remaining values
}

}  // namespace

Body trace_body(const char* op, const std::vector<TensorSpec>& arguments, const BodyFn& f) {
  Body body;
  body.num_arguments = arguments.size();
  std::vector<Variable> read;
  {
    const ir::ObserverSuspension no_op_observers;
    const ReadObserverSuspension no_read_observers;
    const ReadCollector reads;
    ir::Tracer tracer;
    Tensors inputs;
    for (const TensorSpec& spec : arguments) inputs.push_back(tracer.input(spec));
    const Tensors outputs = f(inputs);
    for (const Tensor& t : outputs) require_defined(op, t);
    body.num_outputs = outputs.size();
    ir::Tracer::Result result = tracer.finish(outputs);
    body.graph = std::move(result.graph);
    body.captures = std::move(result.captures);
    body.assigned = std::move(result.assigned);
    read = reads.variables();
  }
  if (!body.graph.states.empty()) {
    throw RuntimeError(
        "ops::{}: a body used variable `{}` outside of a traced function. In a functional "
        "model, put the operation into a layer.",
        op, body.graph.states[0].variable.path());
  }
  drop_unused_captures(body);
  // Outer tapes must know which captures are variables.
  for (const Variable& v : read) v.value();
  return body;
}

ir::ValueId require_capture(Body& body, const Tensor& capture) {
  for (size_t i = 0; i < body.captures.size(); ++i) {
    if (body.captures[i].id() == capture.id()) return body.graph.inputs[body.num_arguments + i];
  }
  const ir::ValueId v = body.graph.add_input(capture.spec());
  body.captures.push_back(capture);
  std::vector<ir::ValueId> inputs = body.graph.inputs;
  inputs.push_back(v);
  set_inputs(body.graph, std::move(inputs));
  return v;
}

Tensors unify_captures(std::span<Body* const> bodies) {
  Tensors all;
  for (const Body* body : bodies) {
    for (const Tensor& t : body->captures) {
      const auto same = [&](const Tensor& other) { return other.id() == t.id(); };
      if (std::none_of(all.begin(), all.end(), same)) all.push_back(t);
    }
  }
  for (Body* body : bodies) {
    std::vector<ir::ValueId> captured;
    for (const Tensor& t : all) captured.push_back(require_capture(*body, t));
    std::vector<ir::ValueId> inputs = body->graph.inputs;
    std::copy(captured.begin(), captured.end(),
              inputs.begin() + static_cast<std::ptrdiff_t>(body->num_arguments));
    set_inputs(body->graph, std::move(inputs));
    body->captures = all;
  }
  return all;
}

bool must_trace(std::span<const Tensor> tensors) {
  return ir::Tracer::current() != nullptr ||
         std::any_of(tensors.begin(), tensors.end(), [](const Tensor& t) { return !t.is_value(); });
}

std::vector<TensorSpec> specs_of(std::span<const Tensor> tensors) {
  std::vector<TensorSpec> specs;
  for (const Tensor& t : tensors) specs.push_back(t.spec());
  return specs;
}

Tensors strong(Tensors tensors) {
  for (Tensor& t : tensors) t = to_dtype(t, t.dtype());
  return tensors;
}

void require_specs(const char* op, const char* what, std::span<const TensorSpec> expected,
                   std::span<const TensorSpec> given) {
  if (expected.size() != given.size()) {
    throw ValueError("ops::{}: expected {} {} tensor{}. Received: {}", op, expected.size(), what,
                     expected.size() == 1 ? "" : "s", given.size());
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (given[i] == expected[i]) continue;
    throw ValueError("ops::{}: {} {} must keep its dtype and shape. Expected: {}. Received: {}", op,
                     what, i, spec_str(expected[i]), spec_str(given[i]));
  }
}

std::vector<TensorSpec> region_specs(const ir::Graph& graph, std::span<const ir::ValueId> values) {
  std::vector<TensorSpec> specs;
  for (ir::ValueId v : values) specs.push_back(graph.spec(v));
  return specs;
}

Tensors run_region(const ir::Graph& graph, std::span<const Tensor> inputs) {
  return ir::interpret(graph, inputs, ir::reference_executor());
}

void copy_elements(const Tensor& from, const Tensor& to) {
  if (from.bytes() != 0) std::memcpy(to.mutable_data(), from.data(), from.bytes());
}

Tensors joined(std::span<const Tensor> head, std::span<const Tensor> tail) {
  Tensors all(head.begin(), head.end());
  all.insert(all.end(), tail.begin(), tail.end());
  return all;
}

}  // namespace antler::ops
