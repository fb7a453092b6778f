#include "compiler/rewriter.h"

#include <utility>

#include "antler/base/error.h"

namespace antler::compiler {

using ir::ValueId;

Rewriter::Rewriter(const ir::Graph& from) : from_(from), map_(from.values.size(), -1) {
  to_.nodes.reserve(from.nodes.size());
  to_.values.reserve(from.values.size());
  for (ValueId v : from.inputs) {
    replace(v, to_.add_input(from.spec(v)));
    to_.inputs.push_back(map(v));
  }
  for (const ir::StateSlot& slot : from.states) {
    replace(slot.input, to_.add_input(from.spec(slot.input)));
    to_.states.push_back({slot.variable, map(slot.input), -1});
  }
}

std::vector<ValueId> Rewriter::map(const std::vector<ValueId>& old_values) const {
  std::vector<ValueId> result;
  result.reserve(old_values.size());
  for (ValueId v : old_values) result.push_back(map(v));
  return result;
}

std::vector<ValueId> Rewriter::add(const ir::OpDef& op, std::vector<ValueId> inputs,
                                   ir::Attrs attrs, ir::Regions regions) {
  std::vector<TensorSpec> specs;
  specs.reserve(inputs.size());
  for (ValueId v : inputs) specs.push_back(to_.spec(v));
  std::vector<TensorSpec> outputs = op.infer({specs, attrs, regions});
  return to_.add_node(op, std::move(inputs), std::move(attrs), std::move(regions),
                      std::move(outputs));
}

void Rewriter::copy(const ir::Node& node) {
  const ir::OriginScope origin(node.origin);
  std::vector<TensorSpec> specs;
  specs.reserve(node.outputs.size());
  for (ValueId v : node.outputs) specs.push_back(from_.spec(v));
  const auto ids =
      to_.add_node(*node.op, map(node.inputs), node.attrs, node.regions, std::move(specs));
  for (size_t i = 0; i < ids.size(); ++i) replace(node.outputs[i], ids[i]);
}

std::vector<ValueId> Rewriter::inline_graph(const ir::Graph& body,
                                            const std::vector<ValueId>& arguments) {
  if (!body.states.empty() || arguments.size() != body.inputs.size()) {
    throw InternalError("inline_graph: the arguments do not match the body.");
  }
  std::vector<ValueId> inner(body.values.size(), -1);
  const auto at = [&](ValueId v) -> ValueId& { return inner[static_cast<size_t>(v)]; };
  for (size_t i = 0; i < arguments.size(); ++i) at(body.inputs[i]) = arguments[i];
  for (const ir::Node& node : body.nodes) {
    const ir::OriginScope origin(node.origin ? node.origin : ir::OriginScope::current());
    std::vector<ValueId> inputs;
    std::vector<TensorSpec> specs;
    for (ValueId v : node.inputs) inputs.push_back(at(v));
    for (ValueId v : node.outputs) specs.push_back(body.spec(v));
    const auto ids =
        to_.add_node(*node.op, std::move(inputs), node.attrs, node.regions, std::move(specs));
    for (size_t i = 0; i < ids.size(); ++i) at(node.outputs[i]) = ids[i];
  }
  std::vector<ValueId> outputs;
  for (ValueId v : body.outputs) outputs.push_back(at(v));
  return outputs;
}

ir::Graph Rewriter::finish() {
  to_.outputs = map(from_.outputs);
  for (size_t i = 0; i < from_.states.size(); ++i) {
    const ValueId out = from_.states[i].output;
    to_.states[i].output = out < 0 ? -1 : map(out);
  }
  return std::move(to_);
}

ValueId add_constant(Rewriter& to, const Tensor& value) {
  return to.add(OpKind::constant, {}, {{"value", value}});
}

ValueId add_reshape(Rewriter& to, ValueId x, const Shape& shape) {
  if (to.shape(x) == shape) return x;
  return to.add(OpKind::reshape, {x}, {{"shape", shape.dims()}});
}

ValueId add_transpose(Rewriter& to, ValueId x, const ir::Ints& perm) {
  for (size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] != static_cast<int64_t>(i)) {
      return to.add(OpKind::transpose, {x}, {{"perm", perm}});
    }
  }
  return x;
}

ValueId add_broadcast(Rewriter& to, ValueId x, const Shape& shape, const ir::Ints& dims) {
  if (to.shape(x) == shape) return x;
  return to.add(OpKind::broadcast, {x}, {{"shape", shape.dims()}, {"dims", dims}});
}

ValueId add_convert(Rewriter& to, ValueId x, DType dtype) {
  if (to.dtype(x) == dtype) return x;
  return to.add(OpKind::convert, {x}, {{"dtype", dtype}});
}

ValueId add_filled(Rewriter& to, double value, DType dtype, const Shape& shape) {
  return add_broadcast(to, add_constant(to, Tensor::full(dtype, {}, value)), shape, {});
}

}  // namespace antler::compiler
