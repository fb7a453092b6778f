#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/passes/folding.h"
#include "compiler/passes/passes.h"
#include "compiler/rewriter.h"
#include "ops/nn/conv_geometry.h"
#include "ops/nn/conv_pool.h"

namespace antler::compiler {
namespace {

using ir::Ints;
using ir::Node;
using ir::ValueId;

// A larger image leaves the caches between the convolution and the pool anyway.
constexpr int64_t kMaxImageBytes = 1 << 20;

/// The nodes that read each value.
std::vector<std::vector<const Node*>> users_of(const ir::Graph& graph) {
  std::vector<std::vector<const Node*>> users(graph.values.size());
  for (const Node& node : graph.nodes) {
    for (const ValueId v : node.inputs) users[static_cast<size_t>(v)].push_back(&node);
  }
  return users;
}

bool all_zero(const Ints& v) { return std::count(v.begin(), v.end(), 0) == std::ssize(v); }

/// conv -> add bias -> relu -> max pool, where only the pool's gradient reads values in between.
struct Chain {
  const Node* conv = nullptr;
  ValueId bias = -1;
  std::vector<const Node*> scatters;
};

class Finder {
 public:
  explicit Finder(const ir::Graph& graph) : graph_(graph), users_(users_of(graph)) {
    results_ = graph.results();
  }

  /// The pool's gradient that only this filter's gradient reads; null if there is none.
  const Node* sole_scatter(const Node& node) const {
    if (node.op != &ops::kConvFilterGrad || node.attrs.integer("groups") != 1) return nullptr;
    const ValueId dy = node.inputs[1];
    return users(dy).size() == 1 && !is_result(dy) ? graph_.definition(dy) : nullptr;
  }

  /// The chain that ends in this pool; its conv is null if there is none.
  Chain find(const Node& pool) const {
    Chain chain;
    if (std::string_view(pool.op->name) != "reduce_window" || !fits(pool)) return {};
    const Node* relu = graph_.definition(pool.inputs[0]);
    if (relu == nullptr || kind_of(*relu) != OpKind::select || is_result(relu->outputs[0])) {
      return {};
    }
    for (const Node* user : users(relu->outputs[0])) {
      if (user == &pool) continue;
      if (std::string_view(user->op->name) != "select_and_scatter_add" ||
          user->inputs[0] != relu->outputs[0] || user->inputs[1] == relu->outputs[0] ||
          !(user->attrs == pool.attrs)) {
        return {};
      }
      chain.scatters.push_back(user);
    }
    const Node* add = sum_under(*relu);
    if (add == nullptr) return {};
    for (const int side : {0, 1}) {
      const Node* conv = graph_.definition(add->inputs[static_cast<size_t>(side)]);
      const ValueId bias = bias_of(add->inputs[static_cast<size_t>(1 - side)]);
      if (conv == nullptr || bias < 0 || conv->op != &ops::kConv || !fits_conv(*conv)) continue;
      chain.conv = conv;
      chain.bias = bias;
      return chain;
    }
    return {};
  }

 private:
  const std::vector<const Node*>& users(ValueId v) const { return users_[static_cast<size_t>(v)]; }
  bool is_result(ValueId v) const {
    return std::find(results_.begin(), results_.end(), v) != results_.end();
  }

  bool fits(const Node& pool) const {
    if (pool.attrs.string("op") != "max" || !all_zero(pool.attrs.ints("pad_low")) ||
        !all_zero(pool.attrs.ints("pad_high"))) {
      return false;
    }
    const Ints& window = pool.attrs.ints("window");
    const Ints& strides = pool.attrs.ints("strides");
    const Ints& dilations = pool.attrs.ints("dilations");
    int64_t taps = 1;
    for (size_t d = 0; d < window.size(); ++d) {
      if (strides[d] < window[d] || dilations[d] != 1) return false;
      taps *= window[d];
    }
    return taps > 1 && taps <= 256 && window.front() == 1 && window.back() == 1 &&
           strides.front() == 1 && strides.back() == 1;
  }

  /// z of select(z <= 0, 0, z), if z is a sum that only this relu reads.
  const Node* sum_under(const Node& relu) const {
    const Node* mask = graph_.definition(relu.inputs[0]);
    const ValueId z = relu.inputs[2];
    if (mask == nullptr || kind_of(*mask) != OpKind::le || mask->inputs[0] != z) return nullptr;
    if (splat_number(graph_, mask->inputs[1]) != 0.0 ||
        splat_number(graph_, relu.inputs[1]) != 0.0) {
      return nullptr;
    }
    if (users(mask->outputs[0]).size() != 1 || users(z).size() != 2) return nullptr;
    if (is_result(z) || is_result(mask->outputs[0])) return nullptr;
    const Node* add = graph_.definition(z);
    return add != nullptr && kind_of(*add) == OpKind::add ? add : nullptr;
  }

  /// The vector that `v` repeats along all but the last dimension; -1 if `v` is something else.
  ValueId bias_of(ValueId v) const {
    const Node* broadcast = graph_.definition(v);
    if (broadcast == nullptr || kind_of(*broadcast) != OpKind::broadcast) return -1;
    const int rank = graph_.spec(v).shape.rank();
    const bool last = broadcast->attrs.ints("dims") == Ints{rank - 1};
    return last ? broadcast->inputs[0] : -1;
  }

  bool fits_conv(const Node& conv) const {
    const TensorSpec& y = graph_.spec(conv.outputs[0]);
    if (dtype_size(y.dtype) > sizeof(float) || conv.attrs.integer("groups") != 1) return false;
    if (users(conv.outputs[0]).size() != 1 || is_result(conv.outputs[0])) return false;
    if (y.shape[0] == 0) return false;
    return y.shape.num_elements() / y.shape[0] * 4 <= kMaxImageBytes;
  }

  const ir::Graph& graph_;
  std::vector<std::vector<const Node*>> users_;
  std::vector<ValueId> results_;
};

ir::Attrs with_pool(ir::Attrs attrs, const Node& pool) {
  attrs.set("pool_window", pool.attrs.ints("window"));
  attrs.set("pool_strides", pool.attrs.ints("strides"));
  return attrs;
}

/// Whether a library kernel computes the node that was added last. If so, the nodes that it
/// replaces are left unread and are removed as dead code; otherwise the added node is removed.
bool has_kernel(const ir::Graph& graph, const CompileOptions& options) {
  return options.prefers_library && options.prefers_library(graph, graph.nodes.back());
}

}  // namespace

ir::Graph fuse_conv_pools(const ir::Graph& graph, const CompileOptions& options) {
  if (!options.fuse) return graph;
  const Finder finder(graph);
  Rewriter to(graph);
  std::unordered_map<const Node*, ValueId> indices;  // by the pool's gradients
  for (const Node& node : graph.nodes) {
    const ir::OriginScope origin(node.origin);
    const Chain chain = finder.find(node);
    if (chain.conv != nullptr) {
      const auto results =
          to.add(ops::kConvReluPool,
                 {to.map(chain.conv->inputs[0]), to.map(chain.conv->inputs[1]), to.map(chain.bias)},
                 with_pool(chain.conv->attrs, node));
      if (has_kernel(to.graph(), options)) {
        to.replace(node.outputs[0], results[0]);
        for (const Node* scatter : chain.scatters) indices[scatter] = results[1];
      } else {
        to.copy(node);
      }
    } else if (const auto found = indices.find(&node); found != indices.end()) {
      ir::Attrs attrs;
      attrs.set("input_shape", graph.spec(node.outputs[0]).shape.dims());
      const auto dx = to.add(ops::kPoolScatter, {found->second, to.map(node.inputs[1])},
                             with_pool(std::move(attrs), node));
      to.replace(node.outputs[0], dx[0]);
    } else if (const auto scatter = indices.find(finder.sole_scatter(node));
               scatter != indices.end()) {
      const Node& pool_grad = *scatter->first;
      const auto dw = to.add(ops::kConvPoolFilterGrad,
                             {to.map(node.inputs[0]), scatter->second, to.map(pool_grad.inputs[1])},
                             with_pool(node.attrs, pool_grad));
      if (has_kernel(to.graph(), options)) {
        to.replace(node.outputs[0], dw[0]);
      } else {
        to.copy(node);
      }
    } else {
      to.copy(node);
    }
  }
  return to.finish();
}

}  // namespace antler::compiler
