#include "compiler/split_rows.h"

#include <algorithm>
#include <utility>

#include "compiler/at.h"
#include "compiler/op_kind.h"
#include "compiler/passes/dot_dims.h"

namespace antler::compiler {
namespace {

using ir::Ints;
using ir::ValueId;

/// Minimum rows of a part: with fewer, the weights would be read too often.
constexpr int64_t kRowsPerPart = 16;
constexpr int64_t kMaxParts = 16;
/// A scan of fewer element operations stays in one part.
constexpr int64_t kMinWork = 1 << 20;

constexpr int kNone = -1;  // the value is the same in each part
constexpr int kFail = -2;

int index_of(const Ints& list, int64_t x) {
  const auto it = std::find(list.begin(), list.end(), x);
  return it == list.end() ? kNone : static_cast<int>(it - list.begin());
}

/// Finds for every value the dimension that holds the rows, then writes the body of one part.
class Splitter {
 public:
  Splitter(const ir::Graph& body, size_t num_carry, size_t num_arguments, int64_t rows,
           int64_t parts)
      : body_(body), num_carry_(num_carry), parts_(parts), cut_(body.inputs.size(), 0) {
    for (size_t i = 0; i < num_arguments; ++i) cut_[i] = has_rows(body.inputs[i], rows) ? 1 : 0;
    for (size_t i = num_arguments; i < body.inputs.size(); ++i) {
      if (has_rows(body.inputs[i], rows)) candidates_.push_back(i);
    }
  }

  std::optional<RowSplit> run() {
    while (!find_dims()) {
      if (!cut_captures()) return std::nullopt;
    }
    return write();
  }

 private:
  bool has_rows(ValueId v, int64_t rows) const {
    const Shape& shape = body_.spec(v).shape;
    return shape.rank() > 0 && shape[0] == rows;
  }
  int dim(ValueId v) const { return dims_[at(v)]; }
  const Shape& shape(ValueId v) const { return body_.spec(v).shape; }

  bool find_dims();
  /// Cuts the captures that the value at fault depends on. False if none are left.
  bool cut_captures();
  int dim_of(const ir::Node& node);
  int dim_of_dot(const ir::Node& node);
  /// Whether rows of `v` can be taken along dimension d.
  bool fits(ValueId v, int d);
  RowSplit write() const;

  const ir::Graph& body_;
  size_t num_carry_;
  int64_t parts_;
  std::vector<char> cut_;           // by input
  std::vector<size_t> candidates_;  // captures that may have rows
  std::vector<int> dims_;           // by value
  ValueId fault_ = -1;              // a value without rows where rows are needed
};

bool Splitter::fits(ValueId v, int d) {
  if (dim(v) == d || shape(v).rank() == 0) return true;
  if (dim(v) != kNone) return false;
  if (shape(v)[d] % parts_ != 0) return false;
  const ir::Node* node = body_.definition(v);
  if (node != nullptr && kind_of(*node) == OpKind::broadcast &&
      index_of(node->attrs.ints("dims"), d) == kNone) {
    return true;  // all rows are alike
  }
  fault_ = v;
  return false;
}

int Splitter::dim_of_dot(const ir::Node& node) {
  const ValueId x = node.inputs[0];
  const ValueId y = node.inputs[1];
  const DotLists lists(node.attrs, shape(x).rank(), shape(y).rank());
  const int batches = static_cast<int>(lists.lhs_batch.size());
  const int x_batch = index_of(lists.lhs_batch, dim(x));
  const int y_batch = index_of(lists.rhs_batch, dim(y));
  if (dim(x) >= 0 && x_batch >= 0) {
    return fits(y, static_cast<int>(lists.rhs_batch[at(x_batch)])) ? x_batch : kFail;
  }
  if (dim(y) >= 0 && y_batch >= 0) {
    return fits(x, static_cast<int>(lists.lhs_batch[at(y_batch)])) ? y_batch : kFail;
  }
  if (dim(x) >= 0 && dim(y) >= 0) return kFail;
  const bool left = dim(x) >= 0;
  const int free = left ? index_of(lists.lhs_free, dim(x)) : index_of(lists.rhs_free, dim(y));
  if (free < 0) return kFail;
  return batches + free + (left ? 0 : static_cast<int>(lists.lhs_free.size()));
}

int Splitter::dim_of(const ir::Node& node) {
  int d = kNone;
  for (ValueId v : node.inputs) d = std::max(d, dim(v));
  if (node.op->op_class == ir::OpClass::effect) return kFail;
  if (d < 0) return kNone;
  const auto all_fit = [&](size_t count) {
    for (size_t i = 0; i < count; ++i) {
      if (!fits(node.inputs[i], d)) return false;
    }
    return true;
  };
  if (node.op->op_class == ir::OpClass::elementwise) {
    return all_fit(node.inputs.size()) ? d : kFail;
  }
  const OpKind kind = kind_of(node);
  if (is_reduction(kind)) {
    const Ints& axes = node.attrs.ints("axes");
    if (index_of(axes, d) != kNone) return kFail;
    return d - static_cast<int>(
                   std::count_if(axes.begin(), axes.end(), [&](int64_t a) { return a < d; }));
  }
  switch (kind) {
    case OpKind::broadcast:
      return static_cast<int>(node.attrs.ints("dims")[at(d)]);
    case OpKind::transpose:
      return index_of(node.attrs.ints("perm"), d);
    case OpKind::reverse:
      return index_of(node.attrs.ints("axes"), d) == kNone ? d : kFail;
    case OpKind::slice:
      return node.attrs.ints("starts")[at(d)] == 0 &&
                     node.attrs.ints("limits")[at(d)] == shape(node.inputs[0])[d] &&
                     node.attrs.ints("strides")[at(d)] == 1
                 ? d
                 : kFail;
    case OpKind::pad:
      for (const char* amount : {"low", "high", "interior"}) {
        if (node.attrs.ints(amount)[at(d)] != 0) return kFail;
      }
      return dim(node.inputs[0]) == d ? d : kFail;
    case OpKind::concatenate:
      return node.attrs.integer("axis") != d && all_fit(node.inputs.size()) ? d : kFail;
    case OpKind::reshape: {
      // The rows remain a dimension if the result has one of that size with as many elements before
      // it.
      const Shape& in = shape(node.inputs[0]);
      const Shape& out = shape(node.outputs[0]);
      int64_t before = 1;
      for (int i = 0; i < d; ++i) before *= in[i];
      int64_t passed = 1;
      for (int i = 0; i < out.rank(); passed *= out[i++]) {
        if (passed == before && out[i] != 1) return out[i] % parts_ == 0 ? i : kFail;
      }
      return kFail;
    }
    case OpKind::dot_general:
      return dim_of_dot(node);
    default:
      return kFail;
  }
}

bool Splitter::find_dims() {
  fault_ = -1;
  dims_.assign(body_.values.size(), kNone);
  for (size_t i = 0; i < cut_.size(); ++i) {
    if (cut_[i] != 0) dims_[at(body_.inputs[i])] = 0;
  }
  for (const ir::Node& node : body_.nodes) {
    const int d = dim_of(node);
    if (d == kFail || (d >= 0 && node.outputs.size() != 1)) return false;
    for (ValueId v : node.outputs) dims_[at(v)] = d;
  }
  for (size_t i = 0; i < body_.outputs.size(); ++i) {
    const bool wanted = i >= num_carry_ || cut_[i] != 0;
    if (wanted && !fits(body_.outputs[i], 0)) return false;
    if (wanted && shape(body_.outputs[i]).rank() == 0) return false;
    if (!wanted && dim(body_.outputs[i]) != kNone) return false;
  }
  return true;
}

bool Splitter::cut_captures() {
  if (fault_ < 0) return false;
  std::vector<char> needed(body_.values.size(), 0);
  needed[at(fault_)] = 1;
  for (size_t n = body_.nodes.size(); n-- > 0;) {
    const ir::Node& node = body_.nodes[n];
    const bool any = std::any_of(node.outputs.begin(), node.outputs.end(),
                                 [&](ValueId v) { return needed[at(v)] != 0; });
    if (!any) continue;
    for (ValueId v : node.inputs) needed[at(v)] = 1;
  }
  bool found = false;
  for (size_t i : candidates_) {
    if (cut_[i] != 0 || needed[at(body_.inputs[i])] == 0) continue;
    cut_[i] = 1;
    found = true;
  }
  return found;
}

RowSplit Splitter::write() const {
  RowSplit split;
  split.input_is_cut = cut_;
  ir::Graph& to = split.body;
  std::vector<ValueId> map(body_.values.size(), -1);
  for (size_t i = 0; i < body_.inputs.size(); ++i) {
    TensorSpec spec = body_.spec(body_.inputs[i]);
    if (cut_[i] != 0) spec.shape[0] /= parts_;
    map[at(body_.inputs[i])] = to.add_input(spec);
    to.inputs.push_back(map[at(body_.inputs[i])]);
  }
  const auto add = [&](const ir::OpDef& op, std::vector<ValueId> inputs, ir::Attrs attrs,
                       const ir::Regions& regions) {
    std::vector<TensorSpec> specs;
    for (ValueId v : inputs) specs.push_back(to.spec(v));
    std::vector<TensorSpec> outputs = op.infer({specs, attrs, regions});
    return to.add_node(op, std::move(inputs), std::move(attrs), regions, std::move(outputs));
  };
  // The part of a value that one part of the rows needs; if all rows are equal, the first ones.
  const auto cut = [&](ValueId v, int d) {
    const ValueId own = map[at(v)];
    if (d < 0 || dim(v) == d || shape(v).rank() == 0) return own;
    Ints limits = shape(v).dims();
    const Ints starts(limits.size(), 0);
    const Ints strides(limits.size(), 1);
    limits[at(d)] /= parts_;
    return add(op_of(OpKind::slice), {own},
               {{"starts", starts}, {"limits", limits}, {"strides", strides}}, {})[0];
  };
  for (const ir::Node& node : body_.nodes) {
    const OpKind kind = kind_of(node);
    const int d = dim(node.outputs[0]);
    ir::Attrs attrs = node.attrs;
    std::vector<ValueId> inputs;
    if (d >= 0 && kind == OpKind::dot_general) {
      const DotLists lists(attrs, shape(node.inputs[0]).rank(), shape(node.inputs[1]).rank());
      const bool batch = at(d) < lists.lhs_batch.size();
      inputs = {cut(node.inputs[0], batch ? static_cast<int>(lists.lhs_batch[at(d)]) : kNone),
                cut(node.inputs[1], batch ? static_cast<int>(lists.rhs_batch[at(d)]) : kNone)};
    } else {
      const bool aligned =
          node.op->op_class == ir::OpClass::elementwise || kind == OpKind::concatenate;
      for (ValueId v : node.inputs) inputs.push_back(cut(v, aligned ? d : kNone));
    }
    if (d >= 0 && (kind == OpKind::broadcast || kind == OpKind::reshape || kind == OpKind::slice)) {
      const char* name = kind == OpKind::slice ? "limits" : "shape";
      Ints sizes = attrs.ints(name);
      sizes[at(d)] /= parts_;
      attrs.set(name, std::move(sizes));
    }
    const auto outputs = add(*node.op, std::move(inputs), std::move(attrs), node.regions);
    for (size_t i = 0; i < outputs.size(); ++i) map[at(node.outputs[i])] = outputs[i];
  }
  for (size_t i = 0; i < body_.outputs.size(); ++i) {
    const bool is_cut = i >= num_carry_ || cut_[i] != 0;
    split.output_is_cut.push_back(is_cut ? 1 : 0);
    to.outputs.push_back(cut(body_.outputs[i], is_cut ? 0 : kNone));
  }
  return split;
}

/// Element operations and multiply-adds of one run of a body.
int64_t work_of(const ir::Graph& body) {
  int64_t work = 0;
  for (const ir::Node& node : body.nodes) {
    if (node.outputs.empty()) continue;
    int64_t each = is_view(kind_of(node)) || is_source(kind_of(node)) ? 0 : node.op->work;
    if (kind_of(node) == OpKind::dot_general) {
      const Shape& x = body.spec(node.inputs[0]).shape;
      each = product_of(x, node.attrs.ints("lhs_contract")) / 8;
    }
    work += each * body.spec(node.outputs[0]).shape.num_elements();
  }
  return work;
}

}  // namespace

int64_t carried_rows(const ir::Graph& body, size_t num_carry) {
  int64_t rows = 0;
  for (size_t i = 0; i < num_carry; ++i) {
    const Shape& shape = body.spec(body.inputs[i]).shape;
    if (shape.rank() == 0) continue;
    if (rows != 0 && shape[0] != rows) return 0;
    rows = shape[0];
  }
  return rows;
}

int64_t row_parts(const ir::Graph& body, size_t num_carry, int64_t length) {
  const int64_t rows = carried_rows(body, num_carry);
  if (rows < 2 * kRowsPerPart || work_of(body) * length < kMinWork) return 1;
  for (int64_t parts = std::min(rows / kRowsPerPart, kMaxParts); parts > 1; --parts) {
    if (rows % parts == 0) return parts;
  }
  return 1;
}

std::optional<RowSplit> split_rows(const ir::Graph& body, size_t num_carry, size_t num_arguments,
                                   int64_t rows, int64_t parts) {
  return Splitter(body, num_carry, num_arguments, rows, parts).run();
}

}  // namespace antler::compiler
