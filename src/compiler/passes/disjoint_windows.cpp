#include <string_view>

#include "compiler/at.h"
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "ops/nn/windows.h"

namespace antler::compiler {
namespace {

using ir::Ints;
using ir::Node;
using ir::ValueId;

bool is_sum_of_disjoint_windows(const Node& node) {
  return std::string_view(node.op->name) == "reduce_window" && node.attrs.string("op") == "sum" &&
         ops::windows_are_disjoint(node.attrs);
}

ValueId sum_of_windows(Rewriter& to, const Node& node, const Shape& result) {
  const Ints& window = node.attrs.ints("window");
  ValueId x = to.map(node.inputs[0]);
  Ints covered;
  Ints cut;
  Ints axes;
  for (int d = 0; d < result.rank(); ++d) {
    const int64_t size = window[at(d)];
    covered.push_back(result[d] * size);
    cut.push_back(result[d]);
    if (size == 1) continue;
    axes.push_back(static_cast<int64_t>(cut.size()));
    cut.push_back(size);
  }
  if (to.shape(x) != Shape(covered)) {  // the windows do not reach the end
    const Ints zeros(covered.size(), 0);
    const Ints ones(covered.size(), 1);
    x = to.add(OpKind::slice, {x}, {{"starts", zeros}, {"limits", covered}, {"strides", ones}});
  }
  x = add_reshape(to, x, Shape(cut));
  return axes.empty() ? x : to.add(OpKind::reduce_sum, {x}, {{"axes", axes}});
}

}  // namespace

ir::Graph disjoint_windows(const ir::Graph& graph, const CompileOptions&) {
  Rewriter to(graph);
  for (const Node& node : graph.nodes) {
    const ir::OriginScope origin(node.origin);
    if (is_sum_of_disjoint_windows(node)) {
      to.replace(node.outputs[0], sum_of_windows(to, node, graph.spec(node.outputs[0]).shape));
    } else {
      to.copy(node);
    }
  }
  return to.finish();
}

}  // namespace antler::compiler
