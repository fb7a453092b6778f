#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "compiler/passes/folding.h"
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"

namespace antler::compiler {
namespace {

using ir::Ints;
using ir::Node;
using ir::ValueId;

bool is_zero(const ir::Graph& graph, ValueId v) { return splat_number(graph, v) == 0.0; }

bool is_max_pool(const Node& node, std::string_view op) {
  return op == node.op->name && node.attrs.string("op") == "max";
}

/// Whether `mask` says where y, a relu, passes no gradient: y <= 0, or z <= 0 where y = relu(z).
bool is_mask_of(const ir::Graph& graph, ValueId mask, ValueId y) {
  const Node* compare = graph.definition(mask);
  if (compare == nullptr || kind_of(*compare) != OpKind::le) return false;
  if (!is_zero(graph, compare->inputs[1])) return false;
  if (compare->inputs[0] == y) return true;
  const Node* relu = graph.definition(y);
  return relu != nullptr && kind_of(*relu) == OpKind::select && relu->inputs[0] == mask &&
         relu->inputs[2] == compare->inputs[0] && is_zero(graph, relu->inputs[1]);
}

/// select(mask of y, 0, gradient of a max pool of y); null if the node is something else.
const Node* masked_gradient(const ir::Graph& graph, const Node& node) {
  if (kind_of(node) != OpKind::select || !is_zero(graph, node.inputs[1])) return nullptr;
  const Node* scatter = graph.definition(node.inputs[2]);
  if (scatter == nullptr || !is_max_pool(*scatter, "select_and_scatter_add")) return nullptr;
  return is_mask_of(graph, node.inputs[0], scatter->inputs[0]) ? scatter : nullptr;
}

const Node* pool_of(const ir::Graph& graph, const Node& scatter) {
  for (const Node& node : graph.nodes) {
    if (is_max_pool(node, "reduce_window") && node.inputs[0] == scatter.inputs[0] &&
        node.attrs == scatter.attrs) {
      return &node;
    }
  }
  return nullptr;
}

/// Whether the sum over `axes` adds each element of the pool's gradient to the same result before
/// and after it is scattered: windows extend only along these axes, and no window consists of
/// padding only.
bool sums_windows(const Node& scatter, const Shape& x, const Shape& pooled, const Ints& axes) {
  const Ints& window = scatter.attrs.ints("window");
  const Ints& strides = scatter.attrs.ints("strides");
  const Ints& dilations = scatter.attrs.ints("dilations");
  const Ints& low = scatter.attrs.ints("pad_low");
  for (size_t d = 0; d < window.size(); ++d) {
    const int64_t reach = (window[d] - 1) * dilations[d];
    const auto axis = static_cast<int>(d);
    const int64_t last = (pooled[axis] - 1) * strides[d] - low[d];
    const bool inside = dilations[d] == 1 && reach >= low[d] && last < x[axis];
    const bool summed = std::count(axes.begin(), axes.end(), static_cast<int64_t>(d)) > 0;
    if (!inside || (!summed && (reach > 0 || strides[d] > 1))) return false;
  }
  return true;
}

}  // namespace

ir::Graph masks_before_pools(const ir::Graph& graph, const CompileOptions&) {
  Rewriter to(graph);
  struct Scattered {
    const Node* scatter;
    ValueId gradient;  // of the pool, masked, in the new graph
  };
  std::unordered_map<ValueId, Scattered> scattered;  // by the value in the old graph
  for (const Node& node : graph.nodes) {
    const ir::OriginScope origin(node.origin);
    if (const Node* scatter = masked_gradient(graph, node)) {
      if (const Node* pool = pool_of(graph, *scatter)) {
        const ValueId pooled = to.map(pool->outputs[0]);
        const ValueId zeros = add_filled(to, 0, to.dtype(pooled), to.shape(pooled));
        const ValueId mask = to.add(OpKind::le, {pooled, zeros});
        const ValueId gradient = to.add(OpKind::select, {mask, zeros, to.map(scatter->inputs[1])});
        const ValueId result =
            to.add(*scatter->op, {to.map(scatter->inputs[0]), gradient}, scatter->attrs)[0];
        to.replace(node.outputs[0], result);
        scattered.emplace(node.outputs[0], Scattered{scatter, gradient});
        continue;
      }
    }
    if (kind_of(node) == OpKind::reduce_sum) {
      const auto found = scattered.find(node.inputs[0]);
      if (found != scattered.end()) {
        const auto& [scatter, gradient] = found->second;
        if (sums_windows(*scatter, graph.spec(node.inputs[0]).shape, to.shape(gradient),
                         node.attrs.ints("axes"))) {
          to.replace(node.outputs[0], to.add(OpKind::reduce_sum, {gradient}, node.attrs));
          continue;
        }
      }
    }
    to.copy(node);
  }
  return to.finish();
}

}  // namespace antler::compiler
