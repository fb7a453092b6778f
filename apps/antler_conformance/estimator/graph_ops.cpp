#include "estimator/graph_ops.h"

#include "antler/estimator/graph.h"
#include "antler/ops/ops.h"
#include "antler/ops/strings.h"
#include "estimator/graph_layers.h"

namespace antler::conformance::estimators {
namespace {

std::vector<Tensor> inputs_of(const NamedTensors& tensors, const Json& op) {
  const Json& in = member(op, "in");
  std::vector<Tensor> inputs;
  if (in.is_array()) {
    for (const Json& name : in) inputs.push_back(tensors.operand(name));
  } else if (!in.is_null()) {
    inputs.push_back(tensors.operand(in));
  }
  return inputs;
}

/// The second operand: the second input, or else one of these members of `op`.
Tensor second_of(const NamedTensors& tensors, const Json& op, const std::vector<Tensor>& inputs,
                 std::initializer_list<const char*> names) {
  if (inputs.size() > 1) return inputs[1];
  for (const char* name : names) {
    if (op.contains(name)) return tensors.operand(op[name]);
  }
  throw Unsupported{"an operation like " + op.dump()};
}

std::vector<int64_t> axes_of(const Json& op) {
  const Json& axis = member(op, "axis");
  if (axis.is_null()) return {};
  if (axis.is_array()) return axis.get<std::vector<int64_t>>();
  return {axis.get<int64_t>()};
}

Tensor simple_op(const Json& op, const NamedTensors& tensors, const std::vector<Tensor>& inputs) {
  const auto kind = op.at("op").get<std::string>();
  const Tensor& x = inputs.at(0);
  if (kind == "argmax") return ops::cast(ops::argmax(x, -1), DType::int64);
  if (kind == "softmax") return ops::softmax(x);
  if (kind == "sigmoid") return ops::sigmoid(x);
  if (kind == "relu") return ops::relu(x);
  if (kind == "tanh") return ops::tanh(x);
  if (kind == "squeeze") return ops::squeeze(x, optional_of<int64_t>(member(op, "axis")));
  if (kind == "expand_dims") return ops::expand_dims(x, op.at("axis").get<int64_t>());
  if (kind == "concat") return ops::concatenate(inputs, -1);
  if (kind == "add") return x + second_of(tensors, op, inputs, {"value", "to", "by"});
  if (kind == "scale")
    return x * second_of(tensors, op, inputs, {"factor", "by", "value", "scale"});
  if (kind == "greater") return ops::greater(x, second_of(tensors, op, inputs, {"than"}));
  if (kind == "cast") {
    const Json& dtype = op.contains("dtype") ? op["dtype"] : op.at("to");
    return ops::cast(x, dtype.get<std::string>());
  }
  if (kind == "as_string") return ops::as_string(x);
  if (kind == "reduce_mean") return ops::mean(x, axes_of(op));
  if (kind == "reduce_sum") return ops::sum(x, axes_of(op));
  throw Unsupported{"the operation '" + kind + "'"};
}

}  // namespace

const Tensor& NamedTensors::at(const std::string& name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) throw Unsupported{"the tensor '" + name + "'"};
  return found->second;
}

Tensor NamedTensors::operand(const Json& value) const {
  return value.is_string() ? at(value.get<std::string>()) : Tensor(number(value));
}

void run_graph_op(const Scenario& scenario, const Json& op, const GraphSettings& settings,
                  NamedTensors& tensors) {
  const auto out = op.at("out").get<std::string>();
  if (op.at("op") == "placeholder_with_default") {
    return tensors.set(out, est::placeholder_with_default(number(op.at("value")), out));
  }
  const std::vector<Tensor> inputs = inputs_of(tensors, op);
  Tensor result;
  if (!run_graph_layer(scenario, op, settings, inputs.at(0), result)) {
    result = simple_op(op, tensors, inputs);
  }
  tensors.set(out, est::identity(result, out));
}

}  // namespace antler::conformance::estimators
