#include <optional>

#include "compiler/passes/folding.h"
#include "compiler/passes/simplifier.h"

// Element-wise identities.
namespace antler::compiler {
namespace {

using ir::ValueId;

/// Whether conversion from `a` to `b` is exact, so that a further conversion can start from `a`.
bool is_exact(DType a, DType b) {
  if (a == DType::boolean) return b != DType::boolean;
  if (is_floating(a)) {
    if (b == DType::float64) return true;
    return b == DType::float32 && a != DType::float64;
  }
  if (is_integer(a) && is_integer(b)) {
    if (is_signed_integer(a)) return is_signed_integer(b) && dtype_size(b) >= dtype_size(a);
    return is_unsigned_integer(b) ? dtype_size(b) >= dtype_size(a) : dtype_size(b) > dtype_size(a);
  }
  if (is_integer(a)) {
    return (b == DType::float64 && dtype_size(a) <= 4) ||
           (b == DType::float32 && dtype_size(a) <= 2);
  }
  return false;
}

}  // namespace

ValueId Simplifier::elementwise(OpKind kind, const std::vector<ValueId>& inputs,
                                const ir::Attrs& attrs) {
  if (inputs.size() == 1) return unary(kind, inputs[0], attrs);
  if (inputs.size() == 2) return binary(kind, inputs[0], inputs[1]);
  if (kind == OpKind::select) return select(inputs[0], inputs[1], inputs[2]);
  return -1;
}

ValueId Simplifier::unary(OpKind kind, ValueId x, const ir::Attrs& attrs) {
  switch (kind) {
    case OpKind::neg:
    case OpKind::not_:
      if (const ir::Node* inner = definition(x, kind)) return inner->inputs[0];
      return -1;
    case OpKind::stop_gradient:
      return x;
    case OpKind::convert: {
      const DType dtype = attrs.dtype("dtype");
      if (to.dtype(x) == dtype) return x;
      if (const ir::Node* inner = definition(x, OpKind::convert)) {
        const ValueId source = inner->inputs[0];
        if (is_exact(to.dtype(source), to.dtype(x))) return add(OpKind::convert, {source}, attrs);
      }
      return -1;
    }
    default:
      return -1;
  }
}

ValueId Simplifier::binary(OpKind kind, ValueId x, ValueId y) {
  const std::optional<double> a = splat_number(to.graph(), x);
  const std::optional<double> b = splat_number(to.graph(), y);
  const DType dtype = to.dtype(x);
  const bool boolean = dtype == DType::boolean;
  switch (kind) {
    case OpKind::add:
      if (b == 0.0) return x;
      if (a == 0.0) return y;
      return join_pads(x, y);
    case OpKind::sub:
      return b == 0.0 ? x : -1;
    case OpKind::mul:
      if (b == 1.0) return x;
      if (a == 1.0) return y;
      if (is_integer(dtype) && (a == 0.0 || b == 0.0)) return a == 0.0 ? x : y;
      if (is_floating(dtype) && b == -1.0) return add(OpKind::neg, {x});
      if (is_floating(dtype) && a == -1.0) return add(OpKind::neg, {y});
      return -1;
    case OpKind::div:
      return b == 1.0 ? x : -1;
    case OpKind::pow:
      if (b == 1.0) return x;
      if (b == 2.0) return add(OpKind::mul, {x, x});
      return -1;
    case OpKind::max:
    case OpKind::min:
      return x == y ? x : -1;
    case OpKind::and_:
      if (x == y) return x;
      if (boolean && b) return *b != 0 ? x : y;
      if (boolean && a) return *a != 0 ? y : x;
      return -1;
    case OpKind::or_:
      if (x == y) return x;
      if (boolean && b) return *b != 0 ? y : x;
      if (boolean && a) return *a != 0 ? x : y;
      return -1;
    default:
      return -1;
  }
}

ValueId Simplifier::select(ValueId condition, ValueId x, ValueId y) {
  if (x == y) return x;
  if (const auto known = splat_number(to.graph(), condition)) return *known != 0 ? x : y;
  if (const ir::Node* inner = definition(condition, OpKind::not_)) {
    return add(OpKind::select, {inner->inputs[0], y, x});
  }
  return -1;
}

/// op(broadcast a, broadcast b) = broadcast(op(a, b)) if both are broadcast alike: fewer elements
/// to compute, and chains of scalars stay scalar.
ValueId Simplifier::below_broadcast(const ir::OpDef& op, const std::vector<ValueId>& inputs,
                                    const ir::Attrs& attrs) {
  const ir::Node* pattern = nullptr;
  for (ValueId v : inputs) {
    if (splat_of(to.graph(), v).defined()) continue;
    const ir::Node* node = definition(v, OpKind::broadcast);
    if (node == nullptr) return -1;
    if (pattern == nullptr) {
      pattern = node;
    } else if (!(to.shape(pattern->inputs[0]) == to.shape(node->inputs[0])) ||
               pattern->attrs.ints("dims") != node->attrs.ints("dims")) {
      return -1;
    }
  }
  if (pattern == nullptr) return -1;
  const Shape small = to.shape(pattern->inputs[0]);
  const Shape shape = to.shape(pattern->outputs[0]);
  const ir::Ints dims = pattern->attrs.ints("dims");
  std::vector<ValueId> smaller;
  for (ValueId v : inputs) {
    const Tensor one = splat_of(to.graph(), v);
    if (one.defined()) {
      const ir::Node* node = to.graph().definition(v);
      const ValueId number = kind_of(*node) == OpKind::broadcast ? node->inputs[0] : v;
      smaller.push_back(broadcast(reshape(number, {}), small, {}));
    } else {
      smaller.push_back(to.graph().definition(v)->inputs[0]);
    }
  }
  return broadcast(add(op, smaller, attrs), shape, dims);
}

}  // namespace antler::compiler
