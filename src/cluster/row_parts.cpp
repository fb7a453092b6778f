#include "cluster/row_parts.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "antler/core/variable_shards.h"
#include "compiler/op_kind.h"
#include "compiler/rewriter.h"
#include "ops/core/barrier.h"

namespace antler::cluster {
namespace {

using compiler::OpKind;
using ir::Ints;
using ir::Node;
using ir::ValueId;

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();

/// The rows that a slice takes, if they are complete and contiguous.
std::optional<PartRange> row_range(const ir::Graph& graph, const Node& node) {
  if (compiler::kind_of(node) != OpKind::slice) return {};
  const Shape& shape = graph.spec(node.inputs[0]).shape;
  const Ints& starts = node.attrs.ints("starts");
  const Ints& limits = node.attrs.ints("limits");
  const Ints& strides = node.attrs.ints("strides");
  for (int d = 0; d < shape.rank(); ++d) {
    const auto i = static_cast<size_t>(d);
    if (strides[i] != 1 || (d > 0 && (starts[i] != 0 || limits[i] != shape[d]))) return {};
  }
  if (shape.rank() == 0) return {};
  return PartRange{starts[0], limits[0]};
}

bool joins_rows(const Node& node) {
  return compiler::kind_of(node) == OpKind::concatenate && node.attrs.integer("axis") == 0;
}

bool works_on_rows(const Node& node, const char* op) {
  return std::string_view(node.op->name) == op && node.attrs.integer("axis") == 0;
}

class RowParts {
 public:
  explicit RowParts(const ir::Graph& graph) : from_(graph), to_(graph) {}

  ir::Graph rewritten() {
    for (const Node& node : from_.nodes) {
      const std::optional<PartRange> range = row_range(from_, node);
      if (range && has_parts(node.inputs[0])) {
        to_.replace(node.outputs[0], rows(node.inputs[0], *range));
      } else if (const Node* joined = looked_up(node)) {
        to_.replace(node.outputs[0], lookup(node, *joined));
      } else {
        to_.copy(node);
      }
    }
    return prune(to_.finish());
  }

 private:
  /// Whether rows of a value can be computed from rows of the parts.
  bool has_parts(ValueId v) {
    const Node* node = from_.definition(v);
    if (node == nullptr) return false;
    if (joins_rows(*node)) return true;
    if (works_on_rows(*node, "scatter")) return true;
    if (node->op->op_class != ir::OpClass::elementwise) return false;
    const auto known = has_parts_.find(v);
    if (known != has_parts_.end()) return known->second;
    const bool result = std::any_of(node->inputs.begin(), node->inputs.end(),
                                    [&](ValueId input) { return has_parts(input); });
    return has_parts_[v] = result;
  }

  /// The rows of a value of the old graph.
  ValueId rows(ValueId v, const PartRange& range) {
    const auto key = std::make_tuple(v, range.begin, range.end);
    const auto known = rows_.find(key);
    if (known != rows_.end()) return known->second;
    return rows_[key] = computed_rows(v, range);
  }

  ValueId computed_rows(ValueId v, const PartRange& range) {
    const Node* node = from_.definition(v);
    if (node == nullptr) return sliced(v, range);
    if (joins_rows(*node)) {
      int64_t begin = 0;
      for (const ValueId part : node->inputs) {
        const int64_t end = begin + from_.spec(part).shape[0];
        if (begin == range.begin && end == range.end) return to_.map(part);
        begin = end;
      }
      return sliced(v, range);
    }
    if (compiler::kind_of(*node) == OpKind::broadcast) return broadcast(v, *node, range);
    if (!has_parts(v)) return sliced(v, range);
    if (works_on_rows(*node, "scatter")) {
      const ValueId base = rows(node->inputs[0], range);
      return to_.add(*node->op, {base, shifted(node->inputs[1], range.begin), at(node->inputs[2])},
                     node->attrs)[0];
    }
    std::vector<ValueId> inputs;
    for (const ValueId input : node->inputs) inputs.push_back(rows(input, range));
    return to_.add(*node->op, std::move(inputs), node->attrs)[0];
  }

  ValueId at(ValueId v) const { return to_.map(v); }

  ValueId sliced(ValueId v, const PartRange& range) {
    Ints limits = from_.spec(v).shape.dims();
    Ints starts(limits.size(), 0);
    starts[0] = range.begin;
    limits[0] = range.end;
    return to_.add(OpKind::slice, {at(v)},
                   {{"starts", starts}, {"limits", limits}, {"strides", Ints(limits.size(), 1)}});
  }

  ValueId broadcast(ValueId v, const Node& node, const PartRange& range) {
    const Ints& dims = node.attrs.ints("dims");
    const Shape& given = from_.spec(node.inputs[0]).shape;
    // Dimension 0 of the result is new, or repeats a dimension of size 1.
    if (!dims.empty() && dims[0] == 0 && given[0] != 1) return sliced(v, range);
    Shape shape = from_.spec(v).shape;
    shape[0] = range.end - range.begin;
    return compiler::add_broadcast(to_, at(node.inputs[0]), shape, dims);
  }

  /// Row indices relative to row `begin`. Signed, because rows before `begin` get negative indices.
  ValueId shifted(ValueId indices, int64_t begin) {
    ValueId ids = at(indices);
    if (to_.dtype(ids) != DType::int32 && to_.dtype(ids) != DType::int64)
      ids = compiler::add_convert(to_, ids, DType::int64);
    return begin == 0 ? ids : to_.add(OpKind::sub, {ids, filled(begin, ids)});
  }

  ValueId filled(int64_t value, ValueId like) {
    return compiler::add_filled(to_, static_cast<double>(value), to_.dtype(like), to_.shape(like));
  }

  /// The operand that a node takes rows from, if it is a concatenation of parts.
  const Node* looked_up(const Node& node) const {
    if (!works_on_rows(node, "gather")) return nullptr;
    const Node* joined = from_.definition(node.inputs[0]);
    return joined != nullptr && joins_rows(*joined) ? joined : nullptr;
  }

  /// Gathers rows from each part and selects the right ones. Gathers clamp their indices, so the
  /// first part returns its first row for all smaller ids, and the last part its last row for all
  /// larger ones.
  ValueId lookup(const Node& node, const Node& joined) {
    const Shape& shape = from_.spec(node.outputs[0]).shape;
    Ints dims;
    for (int d = 0; d < from_.spec(node.inputs[1]).shape.rank(); ++d) dims.push_back(d);
    ValueId result = -1;
    int64_t begin = 0;
    for (const ValueId part : joined.inputs) {
      const ValueId ids = shifted(node.inputs[1], begin);
      const int64_t rows = from_.spec(part).shape[0];
      ir::Attrs attrs = node.attrs;
      attrs.set(kNeededRows, Ints{part == joined.inputs.front() ? kLowest : 0,
                                  part == joined.inputs.back() ? kHighest : rows});
      const ValueId taken = to_.add(*node.op, {at(part), ids}, std::move(attrs))[0];
      if (begin == 0) {
        result = taken;
      } else {
        const ValueId mask = to_.add(OpKind::ge, {ids, filled(0, ids)});
        result = to_.add(OpKind::select,
                         {compiler::add_broadcast(to_, mask, shape, dims), taken, result});
      }
      begin += rows;
    }
    return result;
  }

  const ir::Graph& from_;
  compiler::Rewriter to_;
  std::map<ValueId, bool> has_parts_;
  std::map<std::tuple<ValueId, int64_t, int64_t>, ValueId> rows_;
};

/// A barrier would hide which rows a step needs. Workers recompute nothing, so they need no
/// barriers.
ir::Graph without_barriers(const ir::Graph& graph) {
  compiler::Rewriter to(graph);
  for (const Node& node : graph.nodes) {
    if (node.op != &ops::kOptimizationBarrier) {
      to.copy(node);
      continue;
    }
    for (size_t i = 0; i < node.outputs.size(); ++i)
      to.replace(node.outputs[i], to.map(node.inputs[i]));
  }
  return to.finish();
}

}  // namespace

ir::Graph use_row_parts(const ir::Graph& graph) {
  return RowParts(without_barriers(graph)).rewritten();
}

}  // namespace antler::cluster
