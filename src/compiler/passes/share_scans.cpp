#include <algorithm>
#include <string>
#include <unordered_map>

#include "compiler/at.h"
#include "compiler/kernels.h"
#include "compiler/node_key.h"
#include "compiler/op_kind.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/scan_parts.h"
#include "compiler/rewriter.h"

// The gradient of a scan recomputes the body in each step from the saved carries. A scan that
// recomputes values from the ys of another scan can read them from that scan instead:
//
//     h', hs = scan { z = dot(h, w); h' = tanh(z); ys h }         ys h, tanh(z)
//     dh'    = scan { xs hs; t = tanh(dot(h, w)); ... t ... }     xs tanh(z)
namespace antler::compiler {
namespace {

using ir::ValueId;

/// The values that one scan provides to later ones.
struct Extra {
  std::vector<ValueId> values;  // of its body: more ys
  std::vector<ValueId> outer;   // where they are in the new graph
};

/// A value that a scan takes from an earlier one: `value` of its body is output `index` of node
/// `from`. Extra outputs of `from` follow its original ones.
struct Taken {
  ValueId value;
  ir::NodeId from;
  size_t index;
};

class ScanSharing {
 public:
  explicit ScanSharing(const ir::Graph& graph)
      : graph_(graph), extras_(graph.nodes.size()), taken_(graph.nodes.size()) {}

  ir::Graph run();

 private:
  void share(ir::NodeId from, ir::NodeId with);
  /// For each value of `with`'s body, the one of `from`'s body that equals it in every step; -1 for
  /// none.
  std::vector<ValueId> twins(const ScanParts& from, const ScanParts& with) const;
  void rewrite(Rewriter& to, ir::NodeId n);

  const ir::Graph& graph_;
  std::vector<Extra> extras_;              // by node
  std::vector<std::vector<Taken>> taken_;  // by node
};

/// `v` before any identities (stop_gradient).
ValueId origin(const ir::Graph& body, ValueId v) {
  const ir::Node* node = body.definition(v);
  while (node != nullptr && kind_of(*node) == OpKind::stop_gradient) {
    v = node->inputs[0];
    node = body.definition(v);
  }
  return v;
}

std::vector<ValueId> ScanSharing::twins(const ScanParts& from, const ScanParts& with) const {
  std::unordered_map<std::string, const ir::Node*> known;
  const auto origins = [&](const ir::Graph& body, const std::vector<ValueId>& values) {
    std::vector<ValueId> result;
    result.reserve(values.size());
    for (ValueId v : values) result.push_back(origin(body, v));
    return result;
  };
  for (const ir::Node& node : from.body.nodes) {
    known.try_emplace(key_of(node, origins(from.body, node.inputs)), &node);
  }
  std::vector<ValueId> twin(with.body.values.size(), -1);
  for (size_t i = with.num_carry; i < with.node.inputs.size(); ++i) {
    const ValueId outer = with.node.inputs[i];
    ValueId& found = twin[at(with.body.inputs[i])];
    const bool stacked = i < with.num_read();
    for (size_t j = from.num_carry; j < from.node.inputs.size() && found < 0; ++j) {
      const bool same_group = (j < from.num_read()) == stacked;
      if (same_group && from.node.inputs[j] == outer) found = from.body.inputs[j];
    }
    for (size_t j = from.num_carry; stacked && j < from.node.outputs.size() && found < 0; ++j) {
      if (from.node.outputs[j] == outer) found = origin(from.body, from.body.outputs[j]);
    }
  }
  for (const ir::Node& node : with.body.nodes) {
    std::vector<ValueId> inputs;
    for (ValueId v : node.inputs) inputs.push_back(twin[at(v)]);
    if (std::find(inputs.begin(), inputs.end(), -1) != inputs.end()) continue;
    if (kind_of(node) == OpKind::stop_gradient) {
      twin[at(node.outputs[0])] = inputs[0];
      continue;
    }
    if (node.op->op_class == ir::OpClass::effect) continue;
    const auto it = known.find(key_of(node, inputs));
    if (it == known.end()) continue;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      twin[at(node.outputs[i])] = it->second->outputs[i];
    }
  }
  return twin;
}

void ScanSharing::share(ir::NodeId from_id, ir::NodeId with_id) {
  const ScanParts from(graph_.nodes[at(from_id)]);
  const ScanParts with(graph_.nodes[at(with_id)]);
  if (from.length != with.length) return;
  const std::vector<ValueId> twin = twins(from, with);
  std::vector<char> visited(with.body.values.size(), 0);
  std::vector<ValueId> open = with.body.outputs;
  std::vector<ValueId> wanted;
  for (const Taken& taken : taken_[at(with_id)]) visited[at(taken.value)] = 1;
  while (!open.empty()) {
    const ValueId v = open.back();
    open.pop_back();
    if (visited[at(v)] != 0) continue;
    visited[at(v)] = 1;
    const ir::Node* node = with.body.definition(v);
    if (node == nullptr) continue;
    if (twin[at(v)] >= 0 && is_expensive(*node)) {
      wanted.push_back(v);
    } else {
      open.insert(open.end(), node->inputs.begin(), node->inputs.end());
    }
  }
  Extra& extra = extras_[at(from_id)];
  std::vector<ValueId> given;
  int64_t bytes = 0;
  const auto index_of = [&](const std::vector<ValueId>& list, ValueId v) {
    return static_cast<size_t>(std::find(list.begin(), list.end(), v) - list.begin());
  };
  for (size_t i = from.num_carry; i < from.body.outputs.size(); ++i) {
    given.push_back(origin(from.body, from.body.outputs[i]));
  }
  given.insert(given.end(), extra.values.begin(), extra.values.end());
  for (ValueId v : extra.values) bytes += bytes_of(from.body, v) * from.length;
  for (ValueId v : wanted) {
    if (index_of(given, twin[at(v)]) == given.size()) {
      bytes += bytes_of(with.body, v) * from.length;
    }
  }
  if (bytes > kMaxScanGrowth * scan_bytes(graph_, from.node)) return;
  std::sort(wanted.begin(), wanted.end());
  for (ValueId v : wanted) {
    size_t index = index_of(given, twin[at(v)]);
    if (index == given.size()) {
      given.push_back(twin[at(v)]);
      extra.values.push_back(twin[at(v)]);
    }
    taken_[at(with_id)].push_back({v, from_id, from.num_carry + index});
  }
}

void ScanSharing::rewrite(Rewriter& to, ir::NodeId n) {
  const ir::Node& node = graph_.nodes[at(n)];
  Extra& extra = extras_[at(n)];
  const std::vector<Taken>& taken = taken_[at(n)];
  if (extra.values.empty() && taken.empty()) {
    to.copy(node);
    return;
  }
  const ScanParts scan(node);
  std::vector<ValueId> inputs = scan.body.inputs;
  std::vector<ValueId> outer = to.map(node.inputs);
  const auto after_xs = static_cast<std::ptrdiff_t>(scan.num_read());
  for (const Taken& t : taken) {
    const auto& outputs = graph_.nodes[at(t.from)].outputs;
    const ValueId value = t.index < outputs.size()
                              ? to.map(outputs[t.index])
                              : extras_[at(t.from)].outer[t.index - outputs.size()];
    inputs.insert(inputs.begin() + after_xs, t.value);
    outer.insert(outer.begin() + after_xs, value);
  }
  std::vector<ValueId> outputs = scan.body.outputs;
  outputs.insert(outputs.end(), extra.values.begin(), extra.values.end());
  ir::Attrs attrs = node.attrs;
  attrs.set("num_xs", static_cast<int64_t>(scan.num_xs + taken.size()));
  attrs.set("saves_carry", false);
  auto body = std::make_shared<const ir::Graph>(rebuild_body(scan.body, inputs, outputs));
  const auto results = to.add(*node.op, std::move(outer), std::move(attrs), {std::move(body)});
  for (size_t i = 0; i < node.outputs.size(); ++i) to.replace(node.outputs[i], results[i]);
  extra.outer.assign(results.begin() + static_cast<std::ptrdiff_t>(node.outputs.size()),
                     results.end());
}

ir::Graph ScanSharing::run() {
  const auto is_scan = [&](ir::NodeId n) {
    return n >= 0 && kind_of(graph_.nodes[at(n)]) == OpKind::scan &&
           !ScanParts(graph_.nodes[at(n)]).in_steps;
  };
  const int count = static_cast<int>(graph_.nodes.size());
  for (ir::NodeId n = 0; n < count; ++n) {
    if (!is_scan(n)) continue;
    const ScanParts with(graph_.nodes[at(n)]);
    std::vector<ir::NodeId> sources;
    for (size_t i = with.num_carry; i < with.num_read(); ++i) {
      const ir::NodeId from = graph_.value(with.node.inputs[i]).node;
      if (is_scan(from) && std::find(sources.begin(), sources.end(), from) == sources.end()) {
        sources.push_back(from);
      }
    }
    for (ir::NodeId from : sources) share(from, n);
  }
  Rewriter to(graph_);
  for (ir::NodeId n = 0; n < count; ++n) rewrite(to, n);
  return to.finish();
}

}  // namespace

ir::Graph share_scans(const ir::Graph& graph, const CompileOptions&) {
  return ScanSharing(graph).run();
}

}  // namespace antler::compiler
