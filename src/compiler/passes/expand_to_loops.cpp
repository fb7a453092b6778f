#include <algorithm>
#include <limits>
#include <numeric>

#include "compiler/passes/dot_dims.h"
#include "compiler/passes/passes.h"

namespace antler::compiler {
namespace {

using ir::Ints;
using ir::ValueId;

/// An operand of a product, broadcast to the space [batch, lhs free, rhs free, contracted].
ValueId spread(Rewriter& to, ValueId x, const Ints& batch, const Ints& free, const Ints& contract,
               size_t free_at, const Shape& space) {
  Ints order = batch;
  order.insert(order.end(), free.begin(), free.end());
  order.insert(order.end(), contract.begin(), contract.end());
  const ValueId ordered = add_transpose(to, x, order);
  Ints dims(order.size());
  size_t next = 0;
  for (size_t i = 0; i < batch.size(); ++i) dims[next++] = static_cast<int64_t>(i);
  for (size_t i = 0; i < free.size(); ++i) dims[next++] = static_cast<int64_t>(free_at + i);
  const size_t contract_at = static_cast<size_t>(space.rank()) - contract.size();
  for (size_t i = 0; i < contract.size(); ++i) dims[next++] = static_cast<int64_t>(contract_at + i);
  return add_broadcast(to, ordered, space, dims);
}

/// sum over k of x[.., m, k] * y[.., k, n], in float32 for the half types.
ValueId expand_dot(Rewriter& to, const ir::Node& node) {
  ValueId x = to.map(node.inputs[0]);
  ValueId y = to.map(node.inputs[1]);
  const DType dtype = to.dtype(x);
  if (is_half(dtype)) {
    x = add_convert(to, x, DType::float32);
    y = add_convert(to, y, DType::float32);
  }
  const DotLists lists(node.attrs, to.shape(x).rank(), to.shape(y).rank());
  Shape space;
  const auto append = [&](const Shape& shape, const Ints& dims) {
    for (int64_t d : dims) space.push_back(shape[static_cast<int>(d)]);
  };
  append(to.shape(x), lists.lhs_batch);
  append(to.shape(x), lists.lhs_free);
  append(to.shape(y), lists.rhs_free);
  append(to.shape(x), lists.lhs_contract);
  const size_t batches = lists.lhs_batch.size();
  const ValueId product =
      to.add(OpKind::mul,
             {spread(to, x, lists.lhs_batch, lists.lhs_free, lists.lhs_contract, batches, space),
              spread(to, y, lists.rhs_batch, lists.rhs_free, lists.rhs_contract,
                     batches + lists.lhs_free.size(), space)});
  Ints axes(lists.lhs_contract.size());
  std::iota(axes.begin(), axes.end(), space.rank() - static_cast<int64_t>(axes.size()));
  const OpKind total = dtype == DType::boolean ? OpKind::reduce_any : OpKind::reduce_sum;
  const ValueId sum = axes.empty() ? product : to.add(total, {product}, {{"axes", axes}});
  return add_convert(to, sum, dtype);
}

/// The first index that holds the extremum; a NaN counts as the extremum.
ValueId expand_arg_extremum(Rewriter& to, const ir::Node& node) {
  const ValueId x = to.map(node.inputs[0]);
  const Shape shape = to.shape(x);
  const int64_t axis = node.attrs.integer("axis");
  const bool largest = kind_of(node) == OpKind::argmax;
  const Ints axes = {axis};
  const ValueId best =
      to.add(largest ? OpKind::reduce_max : OpKind::reduce_min, {x}, {{"axes", axes}});
  Ints kept;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (d != axis) kept.push_back(d);
  }
  ValueId found = to.add(OpKind::eq, {x, add_broadcast(to, best, shape, kept)});
  if (is_floating(to.dtype(x))) found = to.add(OpKind::or_, {found, to.add(OpKind::ne, {x, x})});
  const ValueId index =
      to.add(OpKind::iota, {}, {{"shape", shape.dims()}, {"axis", axis}, {"dtype", DType::int32}});
  const ValueId none = add_filled(to, std::numeric_limits<int32_t>::max(), DType::int32, shape);
  return to.add(OpKind::reduce_min, {to.add(OpKind::select, {found, index, none})},
                {{"axes", axes}});
}

bool expands(const ir::Graph& graph, const ir::Node& node, const CompileOptions& options) {
  const OpKind kind = kind_of(node);
  if (kind != OpKind::dot_general && kind != OpKind::argmax && kind != OpKind::argmin) return false;
  if (graph.spec(node.inputs[0]).shape.num_elements() == 0) return false;
  return !options.prefers_library || !options.prefers_library(graph, node);
}

}  // namespace

ir::Graph expand_to_loops(const ir::Graph& graph, const CompileOptions& options) {
  Rewriter to(graph);
  for (const ir::Node& node : graph.nodes) {
    const ir::OriginScope origin(node.origin);
    if (!expands(graph, node, options)) {
      to.copy(node);
    } else if (kind_of(node) == OpKind::dot_general) {
      to.replace(node.outputs[0], expand_dot(to, node));
    } else {
      to.replace(node.outputs[0], expand_arg_extremum(to, node));
    }
  }
  return to.finish();
}

}  // namespace antler::compiler
