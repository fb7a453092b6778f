#include <algorithm>

#include "compiler/passes/passes.h"
#include "compiler/pattern.h"
#include "compiler/rewriter.h"

namespace antler::compiler {
namespace {

using ir::Ints;
using ir::ValueId;

/// A reduction of at least this many elements is split if it has few results. Rows keep more
/// threads busy than columns do, because columns share vectors, and reductions of whole rows fuse
/// with other row-wise work.
constexpr int64_t kLargeSpace = 1 << 16;
constexpr int64_t kFewRows = 16;
constexpr int64_t kFewColumns = 512;
/// The number of parts to aim for. Fixed, so that results do not depend on the number of threads.
constexpr int64_t kMostParts = 64;
constexpr int64_t kFewestParts = 4;

struct Split {
  int axis = 0;       ///< dimension that is cut
  int64_t parts = 0;  ///< number of pieces
};

/// The outermost reduced dimension that divides into enough pieces, and as many pieces as allowed.
Split choose_split(const Shape& shape, const Ints& axes) {
  Split best;
  for (int64_t a : axes) {
    const int64_t size = shape[static_cast<int>(a)];
    for (int64_t parts = std::min(kMostParts, size); parts >= kFewestParts; --parts) {
      if (size % parts != 0) continue;
      if (parts > best.parts) best = {static_cast<int>(a), parts};
      break;
    }
    if (best.parts >= kMostParts / 4) break;
  }
  return best;
}

bool is_large(const ir::Graph& graph, const ir::Node& node) {
  if (!is_reduction(kind_of(node))) return false;
  const Shape& shape = graph.spec(node.inputs[0]).shape;
  if (shape.num_elements() < kLargeSpace) return false;
  const Pattern pattern = Pattern::of_reduction(shape, node.attrs.ints("axes"));
  return pattern.kept() < (pattern.is_column() ? kFewColumns : kFewRows);
}

}  // namespace

ir::Graph split_reductions(const ir::Graph& graph, const CompileOptions&) {
  Rewriter to(graph);
  for (const ir::Node& node : graph.nodes) {
    const ir::OriginScope origin(node.origin);
    Split split;
    if (is_large(graph, node))
      split = choose_split(graph.spec(node.inputs[0]).shape, node.attrs.ints("axes"));
    if (split.parts == 0) {
      to.copy(node);
      continue;
    }
    const ValueId x = to.map(node.inputs[0]);
    std::vector<int64_t> dims = to.shape(x).dims();
    const auto cut = static_cast<size_t>(split.axis);
    const int64_t piece = dims[cut] / split.parts;
    dims[cut] = piece;
    dims.insert(dims.begin() + split.axis, split.parts);
    Ints inner;
    for (int64_t a : node.attrs.ints("axes")) inner.push_back(a >= split.axis ? a + 1 : a);
    // The first reduction also removes the reduced dimensions before the parts, which shifts their
    // axis.
    int64_t parts_axis = split.axis;
    for (int64_t a : node.attrs.ints("axes")) parts_axis -= a < split.axis ? 1 : 0;
    const ValueId partial =
        to.add(*node.op, {add_reshape(to, x, Shape(std::move(dims)))}, {{"axes", inner}})[0];
    to.replace(node.outputs[0], to.add(*node.op, {partial}, {{"axes", Ints{parts_axis}}})[0]);
  }
  return to.finish();
}

}  // namespace antler::compiler
