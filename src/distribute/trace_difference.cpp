#include "distribute/trace_difference.h"

#include <algorithm>
#include <cstring>
#include <variant>

#include "antler/base/error.h"
#include "antler/ir/tracer.h"

namespace antler::distribute {
namespace {

bool is_same_attr(const ir::Attr& a, const ir::Attr& b) {
  const auto* const x = std::get_if<Tensor>(&a);
  const auto* const y = std::get_if<Tensor>(&b);
  if (x != nullptr && y != nullptr) return is_same_literal(*x, *y);
  return ir::Attrs{{"", a}} == ir::Attrs{{"", b}};
}

bool has_same_attrs(const ir::Attrs& a, const ir::Attrs& b) {
  return std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end(),
                    [](const auto& x, const auto& y) {
                      return x.first == y.first && is_same_attr(x.second, y.second);
                    });
}

bool has_same_specs(const ir::Graph& a, const ir::Graph& b,
                    const std::vector<ir::ValueId>& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](ir::ValueId v) { return a.spec(v) == b.spec(v); });
}

std::string graph_difference(const ir::Graph& a, const ir::Graph& b, bool lifts_constants);

/// What differs between nodes; empty if nothing does.
std::string node_difference(const ir::Graph& a, const ir::Graph& b, size_t i,
                            bool lifts_constants) {
  const ir::Node& x = a.nodes[i];
  const ir::Node& y = b.nodes[i];
  if (x.op != y.op) return format("the other one is `{}`", y.op->name);
  if (x.inputs != y.inputs) return "operands differ";
  if (x.outputs != y.outputs || !has_same_specs(a, b, x.outputs)) return "shapes differ";
  const bool may_vary = lifts_constants && x.op == &ir::kConstant;
  if (!may_vary && !has_same_attrs(x.attrs, y.attrs)) return "attributes differ";
  if (x.regions.size() != y.regions.size()) return "bodies differ";
  for (size_t k = 0; k < x.regions.size(); ++k) {
    if (std::string inner = graph_difference(*x.regions[k], *y.regions[k], false); !inner.empty())
      return inner;
  }
  return {};
}

std::string graph_difference(const ir::Graph& a, const ir::Graph& b, bool lifts_constants) {
  if (a.inputs != b.inputs || !has_same_specs(a, b, a.inputs)) return "inputs differ";
  const size_t nodes = std::min(a.nodes.size(), b.nodes.size());
  for (size_t i = 0; i < nodes; ++i) {
    const std::string difference = node_difference(a, b, i, lifts_constants);
    if (!difference.empty()) return format("node {}, `{}`: {}", i, a.nodes[i].op->name, difference);
  }
  if (a.nodes.size() != b.nodes.size()) return "one has more nodes";
  if (a.outputs != b.outputs) return "outputs differ";
  if (!a.states.empty() || !b.states.empty()) return "they have states";
  return {};
}

bool is_own(const ReplicaTrace& trace, const Variable& variable) {
  return std::find(trace.own.begin(), trace.own.end(), variable) != trace.own.end();
}

}  // namespace

bool is_same_literal(const Tensor& a, const Tensor& b) {
  if (a.spec() != b.spec()) return false;
  return a.bytes() == 0 || a.data() == b.data() || std::memcmp(a.data(), b.data(), a.bytes()) == 0;
}

std::string trace_difference(const ReplicaTrace& a, const ReplicaTrace& b) {
  if (a.arguments.size() != b.arguments.size()) return "the numbers of arguments differ";
  if (a.traced.captures.size() != b.traced.captures.size())
    return "they use different numbers of outer values";
  const Variables& x = a.traced.assigned;
  const Variables& y = b.traced.assigned;
  const bool same_variables =
      std::equal(x.begin(), x.end(), y.begin(), y.end(), [&](const Variable& v, const Variable& w) {
        return v == w || (is_own(a, v) && is_own(b, w));
      });
  if (!same_variables) return "they assign different variables";
  return graph_difference(a.traced.graph, b.traced.graph, true);
}

}  // namespace antler::distribute
