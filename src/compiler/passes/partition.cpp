#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/at.h"
#include "compiler/passes/division.h"
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "ops/movement_ops.h"

// Variables whose elements are divided over the devices of a mesh (core/variable_shards.h) enter a
// graph as a concatenation of their parts, and leave it as slices. This pass makes the ops in
// between compute in parts, one per device along an axis of the mesh. Each value has one form:
// whole, or in parts along one dimension.
//
//     kernel divided by columns   x k = [x k0, x k1]      an all-gather only if the whole is used
//     ... by rows                 x k = x0 k0 + x1 k1     the sum is the all-reduce
//     table divided by rows       each part looks up the indices in its range; the sum of all
//     gradients and updates       in the parts of the variable, because their results are
//
// Ops without a rule in part_rules.cpp get whole arrays. A mesh with several axes takes one round
// per axis.
namespace antler::compiler {
namespace {

using ir::Ints;
using ir::ValueId;

class Partitioner {
 public:
  Partitioner(const ir::Graph& graph, const MeshAxis& axis)
      : graph_(graph), axis_(axis), division_(graph, axis), to_(graph) {}

  ir::Graph run() {
    for (const ir::Node& node : graph_.nodes) {
      const ir::OriginScope origin(node.origin);
      visit(node);
    }
    for (const ValueId v : graph_.results()) whole(v);
    return to_.finish();
  }

 private:
  void visit(const ir::Node& node) {
    if (joined_along(node) == axis_) {
      std::vector<ValueId>& parts = parts_[node.outputs[0]];
      for (const ValueId v : node.inputs) parts.push_back(whole(v));
    } else if (split_along(node) == axis_) {
      const int64_t d = node.attrs.integer("axis");
      const int64_t size = graph_.spec(node.outputs[0]).shape[static_cast<int>(d)];
      const int64_t start = node.attrs.ints("starts")[static_cast<size_t>(d)];
      to_.replace(node.outputs[0], part(node.inputs[0], d, size == 0 ? 0 : start / size));
    } else if (node.outputs.size() == 1 && division_.of(node.outputs[0]) != kWhole) {
      compute_parts(node, division_.of(node.outputs[0]));
    } else if (const auto dims = division_.combined(node)) {
      to_.replace(node.outputs[0],
                  node.op == &ops::kGather ? look_up(node, (*dims)[0]) : combine(node, *dims));
    } else {
      for (const ValueId v : node.inputs) whole(v);
      to_.copy(node);
    }
  }

  /// The value of the new graph that is the whole of `v`.
  ValueId whole(ValueId v) {
    if (to_.map(v) < 0) {
      const int64_t d = division_.of(v);
      to_.replace(v, to_.add(OpKind::concatenate, parts_.at(v), {{"axis", d}}));
    }
    return to_.map(v);
  }

  /// Part `i` of `v` along a dimension, or all of it.
  ValueId part(ValueId v, int64_t dimension, int64_t i) {
    if (dimension == kWhole) return whole(v);
    if (division_.of(v) == dimension) return parts_.at(v)[static_cast<size_t>(i)];
    ValueId& slice = slices_.try_emplace({v, dimension, i}, -1).first->second;
    if (slice < 0) {
      const ValueId from = whole(v);
      const auto d = static_cast<size_t>(dimension);
      Ints limits = to_.shape(from).dims();
      Ints starts(limits.size(), 0);
      const int64_t size = limits[d] / axis_.size;
      starts[d] = i * size;
      limits[d] = (i + 1) * size;
      slice =
          to_.add(OpKind::slice, {from},
                  {{"starts", starts}, {"limits", limits}, {"strides", Ints(limits.size(), 1)}});
    }
    return slice;
  }

  std::vector<ValueId> operands(const ir::Node& node, const Ints& dims, int64_t i) {
    std::vector<ValueId> result;
    for (size_t k = 0; k < node.inputs.size(); ++k)
      result.push_back(part(node.inputs[k], dims[k], i));
    return result;
  }

  void compute_parts(const ir::Node& node, int64_t dimension) {
    const Ints dims = operand_dims(graph_, node, dimension, axis_.size).value();
    const ir::Attrs attrs = part_attrs(graph_, node, dimension, axis_.size);
    const bool scatters = node.op == &ops::kScatter && node.attrs.integer("axis") == dimension;
    std::vector<ValueId> parts;
    for (int64_t i = 0; i < axis_.size; ++i) {
      std::vector<ValueId> inputs = operands(node, dims, i);
      // Updates out of range are dropped.
      if (scatters)
        inputs[1] = shifted_indices(inputs[1], -i * part_size(node.inputs[0], dimension));
      parts.push_back(to_.add(*node.op, std::move(inputs), attrs)[0]);
    }
    parts_[node.outputs[0]] = std::move(parts);
  }

  ValueId combine(const ir::Node& node, const Ints& dims) {
    const OpKind kind = kind_of(node);
    const OpKind combiner = kind == OpKind::reduce_prod  ? OpKind::mul
                            : kind == OpKind::reduce_max ? OpKind::max
                            : kind == OpKind::reduce_min ? OpKind::min
                            : kind == OpKind::reduce_any ? OpKind::or_
                            : kind == OpKind::reduce_all ? OpKind::and_
                                                         : OpKind::add;
    ValueId result = -1;
    for (int64_t i = 0; i < axis_.size; ++i) {
      const ValueId term = to_.add(*node.op, operands(node, dims, i), node.attrs)[0];
      result = i == 0 ? term : to_.add(combiner, {result, term});
    }
    return result;
  }

  /// Each part of a table contributes the rows that it holds, and zeros for the others.
  ValueId look_up(const ir::Node& node, int64_t dimension) {
    const ValueId given = whole(node.inputs[1]);
    const Shape shape = to_.shape(given);
    const int64_t size = part_size(node.inputs[0], dimension);
    const int64_t last = size * axis_.size - 1;
    // Indices out of range take the first or the last row.
    const ValueId indices =
        to_.add(OpKind::min, {to_.add(OpKind::max, {signed_indices(given), filled(0, given)}),
                              filled(static_cast<double>(last), given)});
    Ints own(static_cast<size_t>(shape.rank()));
    for (size_t d = 0; d < own.size(); ++d) own[d] = dimension + static_cast<int64_t>(d);
    ValueId result = -1;
    for (int64_t i = 0; i < axis_.size; ++i) {
      const ValueId local = shifted_indices(indices, -i * size);
      const ValueId inside = to_.add(
          OpKind::and_, {to_.add(OpKind::ge, {local, filled(0, local)}),
                         to_.add(OpKind::lt, {local, filled(static_cast<double>(size), local)})});
      const ValueId rows =
          to_.add(*node.op, {part(node.inputs[0], dimension, i), local}, node.attrs)[0];
      const ValueId mask = add_broadcast(to_, inside, to_.shape(rows), own);
      const ValueId nothing = add_filled(to_, 0, to_.dtype(rows), to_.shape(rows));
      const ValueId term = to_.add(OpKind::select, {mask, rows, nothing});
      result = i == 0 ? term : to_.add(OpKind::add, {result, term});
    }
    return result;
  }

  int64_t part_size(ValueId v, int64_t dimension) const {
    return graph_.spec(v).shape[static_cast<int>(dimension)] / axis_.size;
  }

  ValueId filled(double value, ValueId like) {
    return add_filled(to_, value, signed_dtype(to_.dtype(like)), to_.shape(like));
  }

  static DType signed_dtype(DType dtype) {
    return dtype == DType::int64 || dtype == DType::uint64 || dtype == DType::uint32 ? DType::int64
                                                                                     : DType::int32;
  }

  ValueId signed_indices(ValueId indices) {
    return add_convert(to_, indices, signed_dtype(to_.dtype(indices)));
  }

  ValueId shifted_indices(ValueId indices, int64_t by) {
    const ValueId own = signed_indices(indices);
    if (by == 0) return own;
    return to_.add(OpKind::add, {own, filled(static_cast<double>(by), own)});
  }

  const ir::Graph& graph_;
  const MeshAxis& axis_;
  const Division division_;
  Rewriter to_;
  std::map<ValueId, std::vector<ValueId>> parts_;  // of the values that are divided
  std::map<std::tuple<ValueId, int64_t, int64_t>, ValueId> slices_;
};

std::vector<MeshAxis> mesh_axes(const ir::Graph& graph) {
  std::vector<MeshAxis> axes;
  for (const ir::Node& node : graph.nodes) {
    auto axis = joined_along(node);
    if (!axis) axis = split_along(node);
    if (axis && std::find(axes.begin(), axes.end(), *axis) == axes.end()) axes.push_back(*axis);
  }
  return axes;
}

}  // namespace

ir::Graph partition(const ir::Graph& graph, const CompileOptions&) {
  const std::vector<MeshAxis> axes = mesh_axes(graph);
  if (axes.empty()) return graph;
  ir::Graph result = graph;
  for (const MeshAxis& axis : axes) result = Partitioner(result, axis).run();
  return ir::prune(result);
}

}  // namespace antler::compiler
