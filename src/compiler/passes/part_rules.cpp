#include "compiler/passes/part_rules.h"

#include <algorithm>

#include "compiler/op_kind.h"
#include "compiler/passes/conv_part_rules.h"
#include "compiler/passes/dot_dims.h"
#include "ops/movement_ops.h"

namespace antler::compiler {
namespace {

using ir::Ints;

size_t at_dim(int64_t dimension) { return static_cast<size_t>(dimension); }

bool has_dim(const Ints& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

DotLists dot_lists(const ir::Graph& graph, const ir::Node& node) {
  return {node.attrs, graph.spec(node.inputs[0]).shape.rank(),
          graph.spec(node.inputs[1]).shape.rank()};
}

/// Dimensions of the product: batch, free ones of the left operand, free ones of the right one.
Ints dims_of_dot(const DotLists& lists, int64_t dimension) {
  auto d = static_cast<size_t>(dimension);
  if (d < lists.lhs_batch.size()) return {lists.lhs_batch[d], lists.rhs_batch[d]};
  d -= lists.lhs_batch.size();
  if (d < lists.lhs_free.size()) return {lists.lhs_free[d], kWhole};
  return {kWhole, lists.rhs_free[d - lists.lhs_free.size()]};
}

Ints dims_of_broadcast(const Shape& x, const ir::Node& node, int64_t dimension) {
  const Ints& dims = node.attrs.ints("dims");
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == dimension && x.dims()[i] == node.attrs.ints("shape")[at_dim(dimension)])
      return {static_cast<int64_t>(i)};
  }
  return {kWhole};
}

/// A part of the result is a part of the operand if both dimensions have the same number of
/// elements before them.
std::optional<Ints> dims_of_reshape(const Shape& from, const Shape& to, int64_t dimension,
                                    int64_t parts) {
  int64_t before = 1;
  for (int64_t d = 0; d < dimension; ++d) before *= to[static_cast<int>(d)];
  int64_t product = 1;
  for (int d = 0; d < from.rank(); product *= from[d++]) {
    if (product == before && from[d] % parts == 0 && from[d] > 0) return Ints{d};
  }
  return {};
}

/// The dimension of the operand of a reduction that becomes `dimension` of its result.
int64_t kept_dim(const Ints& axes, int64_t dimension) {
  int64_t d = 0;
  for (int64_t kept = 0;; ++d) {
    if (has_dim(axes, d)) continue;
    if (kept++ == dimension) return d;
  }
}

/// Dimensions of an array, of indices, and of the rows that the indices select: [x before axis,
/// indices, x after axis].
struct TakenRows {
  int64_t axis;
  int64_t rank;  ///< of the indices

  /// The dimension of the rows that corresponds to dimension d of the array, which is not the axis.
  int64_t of_array(int64_t d) const { return d < axis ? d : d + rank - 1; }
  Ints of_rows(int64_t d) const {
    if (d < axis) return {d, kWhole};
    if (d < axis + rank) return {kWhole, d - axis};
    return {d - rank + 1, kWhole};
  }
};

TakenRows taken_rows(const ir::Graph& graph, const ir::Node& node) {
  return {node.attrs.integer("axis"), graph.spec(node.inputs[1]).shape.rank()};
}

bool keeps_dim(const ir::Node& slice, const Shape& from, int64_t dimension) {
  const size_t d = at_dim(dimension);
  return slice.attrs.ints("starts")[d] == 0 && slice.attrs.ints("limits")[d] == from.dims()[d] &&
         slice.attrs.ints("strides")[d] == 1;
}

bool pads_dim(const ir::Node& node, int64_t dimension) {
  const size_t d = at_dim(dimension);
  return node.attrs.ints("low")[d] != 0 || node.attrs.ints("high")[d] != 0 ||
         node.attrs.ints("interior")[d] != 0;
}

}  // namespace

std::optional<Ints> operand_dims(const ir::Graph& graph, const ir::Node& node, int64_t dimension,
                                 int64_t parts) {
  if (node.outputs.size() != 1 || node.inputs.empty() || !node.regions.empty()) return {};
  const Shape& out = graph.spec(node.outputs[0]).shape;
  if (out[static_cast<int>(dimension)] % parts != 0) return {};
  const Shape& x = graph.spec(node.inputs[0]).shape;
  if (node.op->op_class == ir::OpClass::elementwise) return Ints(node.inputs.size(), dimension);
  if (is_convolution(node)) return conv_operand_dims(graph, node, dimension);
  if (node.op == &ops::kGather) return taken_rows(graph, node).of_rows(dimension);
  if (node.op == &ops::kScatter) {
    const TakenRows rows = taken_rows(graph, node);
    if (dimension == rows.axis) return Ints{dimension, kWhole, kWhole};
    return Ints{dimension, kWhole, rows.of_array(dimension)};
  }
  const OpKind kind = kind_of(node);
  if (is_reduction(kind)) return Ints{kept_dim(node.attrs.ints("axes"), dimension)};
  switch (kind) {
    case OpKind::broadcast:
      return dims_of_broadcast(x, node, dimension);
    case OpKind::reshape:
      return dims_of_reshape(x, out, dimension, parts);
    case OpKind::transpose:
      return Ints{node.attrs.ints("perm")[at_dim(dimension)]};
    case OpKind::slice:
      return keeps_dim(node, x, dimension) ? std::optional(Ints{dimension}) : std::nullopt;
    case OpKind::reverse:
      return has_dim(node.attrs.ints("axes"), dimension) ? std::nullopt
                                                         : std::optional(Ints{dimension});
    case OpKind::pad:
      return pads_dim(node, dimension) ? std::nullopt : std::optional(Ints{dimension, kWhole});
    case OpKind::concatenate:
      if (node.attrs.integer("axis") == dimension) return {};
      return Ints(node.inputs.size(), dimension);
    case OpKind::dot_general:
      return dims_of_dot(dot_lists(graph, node), dimension);
    default:
      return {};
  }
}

ir::Attrs part_attrs(const ir::Graph& graph, const ir::Node& node, int64_t dimension,
                     int64_t parts) {
  ir::Attrs attrs = node.attrs;
  const OpKind kind = kind_of(node);
  const char* shape_attr = is_convolution(node) ? conv_shape_attr(node)
                           : kind == OpKind::broadcast || kind == OpKind::reshape ? "shape"
                                                                                  : nullptr;
  if (shape_attr != nullptr) {
    Ints shape = graph.spec(node.outputs[0]).shape.dims();
    shape[at_dim(dimension)] /= parts;
    attrs.set(shape_attr, shape);
  } else if (kind == OpKind::slice) {
    Ints limits = attrs.ints("limits");
    limits[at_dim(dimension)] /= parts;
    attrs.set("limits", limits);
  }
  return attrs;
}

std::optional<Ints> reduced_dims(const ir::Graph& graph, const ir::Node& node, size_t which,
                                 int64_t dimension) {
  if (is_reduction(kind_of(node)) && has_dim(node.attrs.ints("axes"), dimension))
    return Ints{dimension};
  if (node.op == &ops::kGather && which == 0 && node.attrs.integer("axis") == dimension)
    return Ints{dimension, kWhole};
  if (is_convolution(node)) return conv_reduced_dims(graph, node, which, dimension);
  if (kind_of(node) != OpKind::dot_general) return {};
  const DotLists lists = dot_lists(graph, node);
  const Ints& own = which == 0 ? lists.lhs_contract : lists.rhs_contract;
  const auto found = std::find(own.begin(), own.end(), dimension);
  if (found == own.end()) return {};
  const auto i = static_cast<size_t>(found - own.begin());
  return Ints{lists.lhs_contract[i], lists.rhs_contract[i]};
}

}  // namespace antler::compiler
