#include <algorithm>

#include "compiler/passes/folding.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/simplifier.h"

namespace antler::compiler {
namespace {

using ir::ValueId;

/// Replaces a cond whose predicate is known by its branch.
bool inline_cond(Simplifier& s, const ir::Node& node) {
  const auto predicate = splat_number(s.to.graph(), s.to.map(node.inputs[0]));
  if (!predicate) return false;
  auto arguments = s.to.map(node.inputs);
  arguments.erase(arguments.begin());
  const auto outputs = s.to.inline_graph(*node.regions[*predicate != 0 ? 0 : 1], arguments);
  for (size_t i = 0; i < outputs.size(); ++i) s.to.replace(node.outputs[i], outputs[i]);
  return true;
}

/// Replaces a scan of one step by its body, and one of no steps by its initial values.
bool inline_scan(Simplifier& s, const ir::Graph& graph, const ir::Node& node) {
  const ir::Graph& body = *node.regions[0];
  const int64_t length = node.attrs.integer("length");
  if (length > 1) return false;
  const auto carries = static_cast<size_t>(node.attrs.integer("num_carry"));
  if (length == 0) {
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId out = node.outputs[i];
      if (i < carries) {
        s.to.replace(out, s.to.map(node.inputs[i]));
      } else {
        s.to.replace(
            out, add_constant(s.to, Tensor::empty(graph.spec(out).dtype, graph.spec(out).shape)));
      }
    }
    return true;
  }
  if (body.outputs.size() != node.outputs.size()) return false;
  const auto slices = static_cast<size_t>(node.attrs.integer("num_xs"));
  auto arguments = s.to.map(node.inputs);
  for (size_t i = carries; i < carries + slices; ++i) {
    arguments[i] = s.reshape(arguments[i], body.spec(body.inputs[i]).shape);
  }
  const auto outputs = s.to.inline_graph(body, arguments);
  for (size_t i = 0; i < outputs.size(); ++i) {
    Shape shape = s.to.shape(outputs[i]);
    if (i >= carries) {
      std::vector<int64_t> dims = shape.dims();
      dims.insert(dims.begin(), 1);
      shape = Shape(std::move(dims));
    }
    s.to.replace(node.outputs[i], s.reshape(outputs[i], shape));
  }
  return true;
}

}  // namespace

ValueId Simplifier::add(const ir::OpDef& op, const std::vector<ValueId>& inputs,
                        const ir::Attrs& attrs) {
  const OpKind kind = kind_of(op);
  ValueId simpler = -1;
  if (is_view(kind)) {
    simpler = view(kind, inputs[0], attrs);
  } else if (is_reduction(kind)) {
    simpler = reduce(kind, inputs[0], attrs.ints("axes"));
  } else if (op.op_class == ir::OpClass::elementwise) {
    simpler = elementwise(kind, inputs, attrs);
  } else {
    simpler = movement(kind, inputs, attrs);
  }
  if (simpler < 0) simpler = fold(to, op, inputs, attrs);
  if (simpler < 0 && op.op_class == ir::OpClass::elementwise)
    simpler = below_broadcast(op, inputs, attrs);
  return simpler >= 0 ? simpler : to.add(op, inputs, attrs)[0];
}

/// pad(a) + pad(b) = pad(concatenate(a, b)) if a and b fill neighbouring ranges of one axis and the
/// padding is zero. Gradients of slices have this form.
ValueId Simplifier::join_pads(ValueId x, ValueId y) {
  const ir::Node* first = definition(x, OpKind::pad);
  const ir::Node* second = definition(y, OpKind::pad);
  if (first == nullptr || second == nullptr) return -1;
  int64_t axis = -1;
  for (const ir::Node* pad : {first, second}) {
    if (splat_number(to.graph(), pad->inputs[1]) != 0.0) return -1;
    for (size_t i = 0; i < pad->attrs.ints("low").size(); ++i) {
      const int64_t low = pad->attrs.ints("low")[i];
      const int64_t high = pad->attrs.ints("high")[i];
      if (low < 0 || high < 0 || pad->attrs.ints("interior")[i] != 0) return -1;
      if (low == 0 && high == 0) continue;
      if (axis >= 0 && axis != static_cast<int64_t>(i)) return -1;
      axis = static_cast<int64_t>(i);
    }
  }
  if (axis < 0) return -1;
  const auto a = static_cast<size_t>(axis);
  const auto begin = [&](const ir::Node* pad) { return pad->attrs.ints("low")[a]; };
  const auto end = [&](const ir::Node* pad) {
    return begin(pad) + to.shape(pad->inputs[0])[static_cast<int>(axis)];
  };
  if (begin(second) < begin(first)) std::swap(first, second);
  if (end(first) != begin(second)) return -1;
  ir::Attrs attrs = first->attrs;
  attrs.set("high", second->attrs.ints("high"));
  const ValueId zero = first->inputs[1];
  std::vector<ValueId> pieces;
  for (const ir::Node* pad : {first, second}) {
    const ir::Node* inner = definition(pad->inputs[0], OpKind::concatenate);
    if (inner != nullptr && inner->attrs.integer("axis") == axis) {
      pieces.insert(pieces.end(), inner->inputs.begin(), inner->inputs.end());
    } else {
      pieces.push_back(pad->inputs[0]);
    }
  }
  return add(OpKind::pad, {add(OpKind::concatenate, pieces, {{"axis", axis}}), zero}, attrs);
}

ValueId Simplifier::movement(OpKind kind, const std::vector<ValueId>& inputs,
                             const ir::Attrs& attrs) {
  if (kind == OpKind::concatenate && inputs.size() == 1) return inputs[0];
  if (kind == OpKind::pad) {
    for (const char* amount : {"low", "high", "interior"}) {
      for (int64_t n : attrs.ints(amount)) {
        if (n != 0) return -1;
      }
    }
    return inputs[0];
  }
  return -1;
}

ir::Graph simplify(const ir::Graph& graph, const CompileOptions&) {
  Simplifier s(graph);
  for (const ir::Node& node : graph.nodes) {
    const ir::OriginScope origin(node.origin);
    const OpKind kind = kind_of(node);
    if (kind == OpKind::cond && inline_cond(s, node)) continue;
    if (kind == OpKind::scan && inline_scan(s, graph, node)) continue;
    if (node.outputs.size() != 1 || !node.regions.empty() ||
        node.op->op_class == ir::OpClass::effect) {
      s.to.copy(node);
      continue;
    }
    s.to.replace(node.outputs[0], s.add(*node.op, s.to.map(node.inputs), node.attrs));
  }
  return ir::prune(s.to.finish());
}

}  // namespace antler::compiler
