#include "compiler/passes/folding.h"

#include <cstring>
#include <span>

namespace antler::compiler {
namespace {

using ir::ValueId;

/// Larger results are not folded: they would cost more memory than they save time.
constexpr int64_t kLargestFold = 4096;
/// Literals of up to this many elements are checked for being all equal.
constexpr int64_t kLargestSearch = 1 << 16;

Tensor evaluate(const ir::OpDef& op, const Tensors& inputs, const ir::Attrs& attrs) {
  std::vector<TensorSpec> specs;
  for (const Tensor& t : inputs) specs.push_back(t.spec());
  Tensors outputs;
  for (const TensorSpec& spec : op.infer({specs, attrs, {}})) {
    outputs.push_back(Tensor::empty(spec.dtype, spec.shape));
  }
  op.reference({inputs, outputs, attrs, {}});
  return outputs[0];
}

Tensor as_scalar(const Tensor& one) {
  return Tensor::from_buffer({one.dtype(), Shape{}}, one.impl()->buffer);
}

bool all_equal(const Tensor& t) {
  const auto* bytes = static_cast<const char*>(t.data());
  const size_t size = dtype_size(t.dtype());
  for (size_t at = size; at < t.bytes(); at += size) {
    if (std::memcmp(bytes, bytes + at, size) != 0) return false;
  }
  return true;
}

/// All elements of a literal or of a small splat.
Tensor whole(const ir::Graph& graph, ValueId v) {
  Tensor literal = literal_of(graph, v);
  if (literal.defined()) return literal;
  const Tensor one = splat_of(graph, v);
  if (!one.defined() || graph.spec(v).shape.num_elements() > kLargestFold) return {};
  Tensor all = Tensor::empty(one.dtype(), graph.spec(v).shape);
  const size_t size = dtype_size(one.dtype());
  for (size_t at = 0; at < all.bytes(); at += size) {
    std::memcpy(static_cast<char*>(all.mutable_data()) + at, one.data(), size);
  }
  return all;
}

/// A literal of one repeated number becomes a broadcast, which takes no memory.
ValueId add_literal(Rewriter& to, const Tensor& value) {
  if (value.size() > 1 && value.size() <= kLargestSearch && all_equal(value)) {
    return add_broadcast(to, add_constant(to, as_scalar(value)), value.shape(), {});
  }
  return add_constant(to, value);
}

ValueId fold_elementwise(Rewriter& to, const ir::OpDef& op, const std::vector<ValueId>& inputs,
                         const ir::Attrs& attrs) {
  const Shape shape = to.shape(inputs[0]);
  Tensors numbers;
  for (ValueId v : inputs) {
    const Tensor one = splat_of(to.graph(), v);
    if (!one.defined()) break;
    numbers.push_back(as_scalar(one));
  }
  if (numbers.size() == inputs.size()) {
    const Tensor value = evaluate(op, numbers, attrs);
    return add_broadcast(to, add_constant(to, value), shape, {});
  }
  return -1;
}

}  // namespace

Tensor literal_of(const ir::Graph& graph, ValueId v) {
  const ir::Node* node = graph.definition(v);
  if (node == nullptr || kind_of(*node) != OpKind::constant) return {};
  return node->attrs.get<Tensor>("value");
}

Tensor splat_of(const ir::Graph& graph, ValueId v) {
  const ir::Node* node = graph.definition(v);
  if (node == nullptr) return {};
  if (kind_of(*node) == OpKind::broadcast) v = node->inputs[0];
  const Tensor literal = literal_of(graph, v);
  return literal.defined() && literal.size() == 1 ? literal : Tensor();
}

std::optional<double> splat_number(const ir::Graph& graph, ValueId v) {
  const Tensor one = splat_of(graph, v);
  if (!one.defined()) return {};
  return one.item();
}

ValueId fold(Rewriter& to, const ir::OpDef& op, const std::vector<ValueId>& inputs,
             const ir::Attrs& attrs) {
  const OpKind kind = kind_of(op);
  if (kind == OpKind::constant) {
    const Tensor& value = attrs.get<Tensor>("value");
    if (value.size() > 1 && value.size() <= kLargestSearch && all_equal(value))
      return add_literal(to, value);
    return -1;
  }
  if (inputs.empty() || op.reference == nullptr) return -1;
  const bool elementwise = op.op_class == ir::OpClass::elementwise;
  if (elementwise) {
    const ValueId folded = fold_elementwise(to, op, inputs, attrs);
    if (folded >= 0) return folded;
  } else if (!is_view(kind) && !is_reduction(kind)) {
    return -1;
  }
  if (kind == OpKind::broadcast) return -1;
  Tensors values;
  bool any_literal = false;
  for (ValueId v : inputs) {
    any_literal = any_literal || literal_of(to.graph(), v).defined();
    Tensor value = whole(to.graph(), v);
    if (!value.defined()) return -1;
    if (value.size() > kLargestFold && kind != OpKind::reshape) return -1;
    values.push_back(std::move(value));
  }
  if (!any_literal) return -1;
  if (kind == OpKind::reshape) {
    return add_constant(to, Tensor::from_buffer({values[0].dtype(), Shape(attrs.ints("shape"))},
                                                values[0].impl()->buffer));
  }
  return add_literal(to, evaluate(op, values, attrs));
}

}  // namespace antler::compiler
