#include "compiler/passes/lift.h"

#include <algorithm>
#include <numeric>

#include "antler/base/error.h"
#include "compiler/passes/dot_dims.h"

namespace antler::compiler {
namespace {

using ir::Ints;
using ir::ValueId;

/// Dimensions after a new dimension 0 is inserted.
Ints shifted(const Ints& dims) {
  Ints result;
  result.reserve(dims.size());
  for (int64_t d : dims) result.push_back(d + 1);
  return result;
}

Ints with_front(int64_t first, const Ints& rest) {
  Ints result = {first};
  result.insert(result.end(), rest.begin(), rest.end());
  return result;
}

}  // namespace

Lifter::Lifter(Rewriter& to, const ir::Graph& body, int64_t length)
    : to_(to), body_(body), length_(length), known_(body.values.size()) {}

bool Lifter::can_lift(const ir::Node& node, const std::vector<char>& stacked) {
  if (node.op->op_class == ir::OpClass::effect) return false;
  if (std::find(stacked.begin(), stacked.end(), 1) == stacked.end()) return true;
  if (node.outputs.size() != 1 || !node.regions.empty()) return false;
  const OpKind kind = kind_of(node);
  if (kind == OpKind::pad) return stacked[1] == 0;
  return node.op->op_class == ir::OpClass::elementwise || is_view(kind) || is_reduction(kind) ||
         kind == OpKind::dot_general || kind == OpKind::concatenate;
}

ValueId Lifter::spread(Lifted lifted) {
  if (lifted.stacked) return lifted.value;
  const Shape shape = to_.shape(lifted.value);
  Ints dims(static_cast<size_t>(shape.rank()));
  std::iota(dims.begin(), dims.end(), 1);
  return add_broadcast(to_, lifted.value, Shape(with_front(length_, shape.dims())), dims);
}

ValueId Lifter::stacked(ValueId body_value) { return spread(lift(body_value)); }

ValueId Lifter::lift_dot(const ir::Node& node) {
  const Lifted x = known_[index(node.inputs[0])];
  const Lifted y = known_[index(node.inputs[1])];
  DotLists lists(node.attrs, body_.spec(node.inputs[0]).shape.rank(),
                 body_.spec(node.inputs[1]).shape.rank());
  const size_t batches = lists.lhs_batch.size();
  size_t front = 0;  // the dimension of the steps in the product
  if (x.stacked && y.stacked) {
    lists.lhs_batch = with_front(0, shifted(lists.lhs_batch));
    lists.rhs_batch = with_front(0, shifted(lists.rhs_batch));
  } else {
    front = batches + (x.stacked ? 0 : lists.lhs_free.size());
    if (x.stacked) lists.lhs_batch = shifted(lists.lhs_batch);
    if (y.stacked) lists.rhs_batch = shifted(lists.rhs_batch);
  }
  if (x.stacked) lists.lhs_contract = shifted(lists.lhs_contract);
  if (y.stacked) lists.rhs_contract = shifted(lists.rhs_contract);
  const ValueId product = to_.add(*node.op, {x.value, y.value}, lists.attrs())[0];
  Ints perm(static_cast<size_t>(to_.shape(product).rank()));
  std::iota(perm.begin(), perm.end(), 0);
  std::rotate(perm.begin(), perm.begin() + static_cast<std::ptrdiff_t>(front),
              perm.begin() + static_cast<std::ptrdiff_t>(front) + 1);
  return add_transpose(to_, product, perm);
}

void Lifter::lift_node(const ir::Node& node) {
  std::vector<Lifted> inputs;
  bool any = false;
  for (ValueId v : node.inputs) {
    inputs.push_back(known_[index(v)]);
    any = any || inputs.back().stacked;
  }
  if (!any) {
    std::vector<ValueId> ids;
    for (const Lifted& input : inputs) ids.push_back(input.value);
    const auto outputs = to_.add(*node.op, std::move(ids), node.attrs, node.regions);
    for (size_t i = 0; i < outputs.size(); ++i) set(node.outputs[i], {outputs[i], false});
    return;
  }
  const OpKind kind = kind_of(node);
  ir::Attrs attrs = node.attrs;
  std::vector<ValueId> ids;
  if (kind == OpKind::dot_general) {
    set(node.outputs[0], {lift_dot(node), true});
    return;
  }
  if (node.op->op_class == ir::OpClass::elementwise || kind == OpKind::concatenate) {
    for (const Lifted& input : inputs) ids.push_back(spread(input));
  } else {
    for (const Lifted& input : inputs) ids.push_back(input.value);
  }
  const auto put_front = [&](const char* name, int64_t first) {
    attrs.set(name, with_front(first, attrs.ints(name)));
  };
  if (is_reduction(kind) || kind == OpKind::reverse) {
    attrs.set("axes", shifted(attrs.ints("axes")));
  } else if (kind == OpKind::concatenate) {
    attrs.set("axis", attrs.integer("axis") + 1);
  } else if (kind == OpKind::transpose) {
    attrs.set("perm", with_front(0, shifted(attrs.ints("perm"))));
  } else if (kind == OpKind::reshape) {
    put_front("shape", length_);
  } else if (kind == OpKind::broadcast) {
    put_front("shape", length_);
    attrs.set("dims", with_front(0, shifted(attrs.ints("dims"))));
  } else if (kind == OpKind::slice) {
    put_front("starts", 0);
    put_front("limits", length_);
    put_front("strides", 1);
  } else if (kind == OpKind::pad) {
    for (const char* amount : {"low", "high", "interior"}) put_front(amount, 0);
  }
  set(node.outputs[0], {to_.add(*node.op, std::move(ids), std::move(attrs))[0], true});
}

Lifter::Lifted Lifter::lift(ValueId body_value) {
  std::vector<char> needed(body_.values.size(), 0);
  needed[index(body_value)] = 1;
  const auto wanted = [&](const ir::Node& node) {
    return std::any_of(node.outputs.begin(), node.outputs.end(),
                       [&](ValueId v) { return needed[index(v)] != 0 && !knows(v); });
  };
  std::vector<const ir::Node*> order;
  for (size_t n = body_.nodes.size(); n-- > 0;) {
    const ir::Node& node = body_.nodes[n];
    if (!wanted(node)) continue;
    order.push_back(&node);
    for (ValueId v : node.inputs) needed[index(v)] = 1;
  }
  for (size_t i = order.size(); i-- > 0;) lift_node(*order[i]);
  if (!knows(body_value))
    throw InternalError("Lifter: an input of the body has no counterpart outside.");
  return known_[index(body_value)];
}

}  // namespace antler::compiler
