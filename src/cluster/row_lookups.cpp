#include "cluster/row_lookups.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "cluster/cheap_ops.h"
#include "cluster/graph_copy.h"
#include "cluster/row_parts.h"

namespace antler::cluster {
namespace {

using ir::Node;
using ir::ValueId;

/// The arguments and ops that a value is computed from.
class Ancestry {
 public:
  explicit Ancestry(const ir::Graph& graph) : graph_(graph) {}

  /// Adds a value. Returns false if cheap ops cannot compute it from arguments alone.
  bool add(ValueId v) {
    if (!values_.insert(v).second) return true;
    const Node* node = graph_.definition(v);
    if (node == nullptr) {
      const auto found = std::find(graph_.inputs.begin(), graph_.inputs.end(), v);
      if (found == graph_.inputs.end()) return false;
      arguments_.insert(found - graph_.inputs.begin());
      return true;
    }
    return is_cheap(graph_, *node) && std::all_of(node->inputs.begin(), node->inputs.end(),
                                                  [this](ValueId input) { return add(input); });
  }
  bool has(ValueId v) const { return values_.contains(v); }
  const std::set<int64_t>& arguments() const { return arguments_; }
  int64_t argument_bytes() const {
    int64_t bytes = 0;
    for (const int64_t i : arguments_)
      bytes += graph_.spec(graph_.inputs[static_cast<size_t>(i)]).num_bytes();
    return bytes;
  }

 private:
  const ir::Graph& graph_;
  std::set<ValueId> values_;
  std::set<int64_t> arguments_;
};

bool takes_rows(const Node& node, ValueId table) {
  return std::string_view(node.op->name) == "gather" && node.inputs[0] == table &&
         node.inputs[1] != table && node.attrs.integer("axis") == 0;
}

bool is_looked_up(const ir::Graph& graph, ValueId table) {
  if (std::find(graph.outputs.begin(), graph.outputs.end(), table) != graph.outputs.end())
    return false;
  Ancestry ids(graph);
  int64_t bytes = 0;
  for (const Node& node : graph.nodes) {
    if (std::find(node.inputs.begin(), node.inputs.end(), table) == node.inputs.end()) continue;
    if (!takes_rows(node, table) || !ids.add(node.inputs[1])) return false;
    bytes += graph.spec(node.outputs[0]).num_bytes();
  }
  return bytes > 0 && bytes + ids.argument_bytes() < graph.spec(table).num_bytes();
}

/// The rows of a lookup that the step needs; nullopt if it needs all. The range has no ids yet.
std::optional<RowFilter> needed_rows(const ir::Graph& graph, const Node& node) {
  if (!node.attrs.has(kNeededRows)) return {};
  const ir::Ints& range = node.attrs.ints(kNeededRows);
  const TensorSpec& ids = graph.spec(node.inputs[1]);
  if (ids.shape.num_elements() == 0) return {};
  RowFilter filter;
  filter.set_rows(ids.shape.num_elements());
  filter.add_ranges()->set_begin(range[0]);
  filter.mutable_ranges(0)->set_end(range[1]);
  return filter;
}

}  // namespace

std::vector<bool> looked_up_states(const ir::Graph& graph) {
  std::vector<bool> result;
  for (const ir::StateSlot& slot : graph.states) result.push_back(is_looked_up(graph, slot.input));
  return result;
}

RowLookup row_lookup(const ir::Graph& graph, const std::vector<size_t>& tables) {
  RowLookup lookup;
  Ancestry ids(graph);
  std::set<ValueId> inputs;
  for (const size_t i : tables) inputs.insert(graph.states[i].input);
  const auto is_lookup = [&](const Node& node) {
    return !node.inputs.empty() && inputs.contains(node.inputs[0]);
  };
  for (const Node& node : graph.nodes) {
    if (is_lookup(node)) ids.add(node.inputs[1]);
  }
  GraphCopy copy(graph);
  for (const int64_t i : ids.arguments()) {
    lookup.arguments.push_back(i);
    copy.to.inputs.push_back(copy.input(graph.inputs[static_cast<size_t>(i)]));
  }
  for (const size_t i : tables)
    copy.to.states.push_back({graph.states[i].variable, copy.input(graph.states[i].input), -1});
  for (const Node& node : graph.nodes) {
    if (is_lookup(node)) {
      lookup.rows.push_back(node.outputs[0]);
    } else if (!ids.has(node.outputs[0])) {
      continue;
    }
    copy.add(node);
  }
  for (const ValueId v : lookup.rows) copy.to.outputs.push_back(copy.map(v));
  for (size_t i = 0; i < lookup.rows.size(); ++i) {
    const Node& node = *graph.definition(lookup.rows[i]);
    if (std::optional<RowFilter> filter = needed_rows(graph, node)) {
      filter->set_value(static_cast<int32_t>(i));
      filter->mutable_ranges(0)->set_ids(static_cast<int32_t>(copy.to.outputs.size()));
      copy.to.outputs.push_back(copy.map(node.inputs[1]));
      lookup.filters.push_back(std::move(*filter));
    }
  }
  lookup.graph = std::move(copy.to);
  return lookup;
}

}  // namespace antler::cluster
