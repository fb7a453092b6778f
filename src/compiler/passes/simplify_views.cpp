#include <algorithm>
#include <numeric>

#include "compiler/passes/folding.h"
#include "compiler/passes/simplifier.h"

// Views of views, and reductions of views.
namespace antler::compiler {
namespace {

using ir::Ints;
using ir::ValueId;

bool contains(const Ints& list, int64_t x) {
  return std::find(list.begin(), list.end(), x) != list.end();
}

}  // namespace

const ir::Node* Simplifier::definition(ValueId v, OpKind kind) const {
  const ir::Node* node = to.graph().definition(v);
  return node != nullptr && kind_of(*node) == kind ? node : nullptr;
}

ValueId Simplifier::view(OpKind kind, ValueId x, const ir::Attrs& attrs) {
  switch (kind) {
    case OpKind::reshape:
      return reshape_of(x, Shape(attrs.ints("shape")));
    case OpKind::broadcast:
      return broadcast_of(x, Shape(attrs.ints("shape")), attrs.ints("dims"));
    case OpKind::transpose:
      return transpose_of(x, attrs.ints("perm"));
    case OpKind::slice:
      return slice_of(x, attrs);
    case OpKind::reverse:
      return reverse_of(x, attrs.ints("axes"));
    default:
      return -1;
  }
}

ValueId Simplifier::reshape_of(ValueId x, const Shape& shape) {
  if (to.shape(x) == shape) return x;
  if (const ir::Node* inner = definition(x, OpKind::reshape))
    return reshape(inner->inputs[0], shape);
  if (const ir::Node* inner = definition(x, OpKind::broadcast)) {
    if (to.shape(inner->inputs[0]).rank() == 0) return broadcast(inner->inputs[0], shape, {});
  }
  return -1;
}

ValueId Simplifier::broadcast_of(ValueId x, const Shape& shape, const Ints& dims) {
  const Shape in = to.shape(x);
  if (in == shape) return x;
  if (in.num_elements() == shape.num_elements()) return reshape(x, shape);
  // Drop dimensions of size 1 first: their index is always 0.
  if (std::find(in.begin(), in.end(), 1) != in.end()) {
    Shape kept;
    Ints kept_dims;
    for (int i = 0; i < in.rank(); ++i) {
      if (in[i] == 1) continue;
      kept.push_back(in[i]);
      kept_dims.push_back(dims[static_cast<size_t>(i)]);
    }
    return broadcast(reshape(x, kept), shape, kept_dims);
  }
  if (const ir::Node* inner = definition(x, OpKind::broadcast)) {
    Ints composed;
    for (int64_t d : inner->attrs.ints("dims")) composed.push_back(dims[static_cast<size_t>(d)]);
    return broadcast(inner->inputs[0], shape, composed);
  }
  return -1;
}

ValueId Simplifier::transpose_of(ValueId x, const Ints& perm) {
  const Shape in = to.shape(x);
  // If only dimensions of size 1 move, it is a reshape.
  int64_t last = -1;
  bool ordered = true;
  Shape out;
  for (int64_t d : perm) {
    out.push_back(in[static_cast<int>(d)]);
    if (in[static_cast<int>(d)] == 1) continue;
    ordered = ordered && d > last;
    last = d;
  }
  if (ordered) return reshape(x, out);
  if (const ir::Node* inner = definition(x, OpKind::transpose)) {
    const Ints& first = inner->attrs.ints("perm");
    Ints composed;
    for (int64_t d : perm) composed.push_back(first[static_cast<size_t>(d)]);
    return add(OpKind::transpose, {inner->inputs[0]}, {{"perm", composed}});
  }
  if (const ir::Node* inner = definition(x, OpKind::broadcast)) {
    // Dimension i of the small operand ends at place[dims[i]]. These places must ascend, so the
    // operand is transposed.
    const ValueId small = inner->inputs[0];
    const Ints dims = inner->attrs.ints("dims");
    Ints place(perm.size());
    for (size_t i = 0; i < perm.size(); ++i)
      place[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
    Ints order(dims.size());
    std::iota(order.begin(), order.end(), 0);
    const auto target = [&](int64_t i) {
      return place[static_cast<size_t>(dims[static_cast<size_t>(i)])];
    };
    std::sort(order.begin(), order.end(),
              [&](int64_t a, int64_t b) { return target(a) < target(b); });
    Ints targets;
    for (int64_t i : order) targets.push_back(target(i));
    return broadcast(add(OpKind::transpose, {small}, {{"perm", order}}), out, targets);
  }
  return -1;
}

ValueId Simplifier::slice_of(ValueId x, const ir::Attrs& attrs) {
  const Shape in = to.shape(x);
  const Ints& starts = attrs.ints("starts");
  const Ints& limits = attrs.ints("limits");
  const Ints& strides = attrs.ints("strides");
  bool all = true;
  Shape out;
  for (size_t i = 0; i < starts.size(); ++i) {
    const int64_t size =
        limits[i] <= starts[i] ? 0 : (limits[i] - starts[i] + strides[i] - 1) / strides[i];
    out.push_back(size);
    all = all && starts[i] == 0 && size == in[static_cast<int>(i)];
  }
  if (all) return x;
  if (splat_of(to.graph(), x).defined()) {
    const ir::Node* inner = to.graph().definition(x);
    return broadcast(reshape(kind_of(*inner) == OpKind::broadcast ? inner->inputs[0] : x, {}), out,
                     {});
  }
  if (const ir::Node* inner = definition(x, OpKind::slice)) {
    const Ints& starts0 = inner->attrs.ints("starts");
    const Ints& strides0 = inner->attrs.ints("strides");
    Ints s;
    Ints l;
    Ints t;
    for (size_t i = 0; i < starts.size(); ++i) {
      t.push_back(strides[i] * strides0[i]);
      s.push_back(starts0[i] + starts[i] * strides0[i]);
      const int64_t size = out[static_cast<int>(i)];
      l.push_back(size == 0 ? s.back() : s.back() + (size - 1) * t.back() + 1);
    }
    return add(OpKind::slice, {inner->inputs[0]}, {{"starts", s}, {"limits", l}, {"strides", t}});
  }
  return -1;
}

ValueId Simplifier::reverse_of(ValueId x, const Ints& axes) {
  const Shape in = to.shape(x);
  Ints needed;
  for (int64_t a : axes) {
    if (in[static_cast<int>(a)] != 1) needed.push_back(a);
  }
  if (needed.empty() || splat_of(to.graph(), x).defined()) return x;
  if (const ir::Node* inner = definition(x, OpKind::reverse)) {
    Ints both;
    for (int64_t a : inner->attrs.ints("axes")) {
      if (!contains(needed, a)) both.push_back(a);
    }
    for (int64_t a : needed) {
      if (!contains(inner->attrs.ints("axes"), a)) both.push_back(a);
    }
    std::sort(both.begin(), both.end());
    return add(OpKind::reverse, {inner->inputs[0]}, {{"axes", both}});
  }
  return -1;
}

ValueId Simplifier::reduce(OpKind kind, ValueId x, const Ints& axes) {
  const Shape in = to.shape(x);
  // Axes of size 1 need no reduction.
  Shape rest;
  Ints needed;
  for (int i = 0; i < in.rank(); ++i) {
    const bool reduced = contains(axes, i);
    if (reduced && in[i] == 1) continue;
    if (reduced) needed.push_back(rest.rank());
    rest.push_back(in[i]);
  }
  if (needed.empty()) return reshape(x, rest);
  if (needed.size() != axes.size()) return add(kind, {reshape(x, rest)}, {{"axes", needed}});
  if (const ir::Node* inner = definition(x, OpKind::transpose)) {
    const Ints& perm = inner->attrs.ints("perm");
    Ints source;
    Ints kept;
    for (int i = 0; i < in.rank(); ++i)
      (contains(axes, i) ? source : kept).push_back(perm[static_cast<size_t>(i)]);
    if (std::is_sorted(kept.begin(), kept.end())) {
      std::sort(source.begin(), source.end());
      return add(kind, {inner->inputs[0]}, {{"axes", source}});
    }
  }
  return reduce_broadcast(kind, x, axes);
}

/// A reduction over broadcast dimensions only.
ValueId Simplifier::reduce_broadcast(OpKind kind, ValueId x, const Ints& axes) {
  const ir::Node* inner = definition(x, OpKind::broadcast);
  if (inner == nullptr) return -1;
  const ValueId small = inner->inputs[0];
  const Ints dims = inner->attrs.ints("dims");
  const Shape in = to.shape(x);
  int64_t count = 1;
  for (int64_t a : axes) {
    if (contains(dims, a)) return -1;
    count *= in[static_cast<int>(a)];
  }
  if (count == 0) return -1;
  Shape out;
  Ints out_dims;
  for (int i = 0; i < in.rank(); ++i) {
    if (contains(axes, i)) continue;
    if (contains(dims, i)) out_dims.push_back(out.rank());
    out.push_back(in[i]);
  }
  if (kind == OpKind::reduce_prod) return -1;
  ValueId result = small;
  if (kind == OpKind::reduce_sum) {
    const DType dtype = to.dtype(small);
    if (dtype_size(dtype) < 4) return -1;  // the count may not be exact
    result = add(OpKind::mul, {small, filled(static_cast<double>(count), dtype, to.shape(small))});
  }
  return broadcast(result, out, out_dims);
}

}  // namespace antler::compiler
