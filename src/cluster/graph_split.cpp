#include "cluster/graph_split.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "cluster/cheap_ops.h"
#include "cluster/graph_copy.h"
#include "cluster/owned_rows.h"
#include "cluster/row_lookups.h"

namespace antler::cluster {
namespace {

using ir::Node;
using ir::StateSlot;
using ir::ValueId;

size_t at(ValueId v) { return static_cast<size_t>(v); }

/// Finds the part of a step that one task computes.
class ShareFinder {
 public:
  ShareFinder(const ir::Graph& graph, const std::vector<int64_t>& tasks, int64_t task)
      : graph_(graph), place_(graph.values.size(), Place::worker), cost_(graph.values.size()) {
    for (size_t i = 0; i < graph.states.size(); ++i) {
      if (tasks[i] == task) place_[at(graph.states[i].input)] = Place::here;
    }
    for (const Node& node : graph.nodes) place(node);
    for (size_t i = 0; i < graph.states.size(); ++i) {
      if (tasks[i] == task && graph.states[i].output >= 0) demand(graph.states[i].output);
    }
    absorb();
  }

  bool computes(ValueId v) const { return computed_.contains(v); }
  /// Values that the worker sends.
  std::vector<ValueId> sent() const {
    std::vector<ValueId> values;
    for (const auto& [v, _] : sent_) values.push_back(v);
    return values;
  }
  /// Whether the task needs the value: a state of the task that is read.
  bool uses(ValueId v) const { return used_.contains(v); }

 private:
  enum class Place : uint8_t {
    worker,
    here,      ///< computed from the task's variables by cheap ops
    anywhere,  ///< depends on nothing
  };

  void place(const Node& node) {
    if (!is_cheap(graph_, node)) return;
    Place result = Place::anywhere;
    for (const ValueId v : node.inputs) {
      if (place_[at(v)] == Place::here) {
        result = Place::here;
        break;
      }
      if (place_[at(v)] == Place::worker) result = Place::worker;
    }
    for (const ValueId v : node.outputs) place_[at(v)] = result;
  }

  /// Ensures that the task has a value.
  void demand(ValueId v) {
    if (used_.contains(v) || computed_.contains(v)) return;
    const Node* node = graph_.definition(v);
    if (place_[at(v)] == Place::worker) {
      sent_[v] = true;
    } else if (node == nullptr) {
      used_[v] = true;
    } else {
      compute(*node);
    }
  }

  void compute(const Node& node) {
    for (const ValueId v : node.outputs) computed_[v] = true;
    for (const ValueId v : node.inputs) demand(v);
  }

  /// Bytes to send so that the task has a value: the value itself, or the values that it is
  /// computed from if they are smaller.
  int64_t cost(ValueId v) {
    if (place_[at(v)] != Place::worker || computed_.contains(v)) return 0;
    std::optional<int64_t>& known = cost_[at(v)];
    if (known) return *known;
    known = graph_.spec(v).num_bytes();
    const Node* node = graph_.definition(v);
    if (node == nullptr || !is_cheap(graph_, *node)) return *known;
    int64_t inputs = 0;
    for (const ValueId input : node->inputs) inputs += sent_.contains(input) ? 0 : cost(input);
    if (inputs < *known) known = inputs;
    return *known;
  }

  /// Moves ops from the worker to the task if their operands are smaller than their results.
  void absorb() {
    for (bool changed = true; changed;) {
      changed = false;
      std::fill(cost_.begin(), cost_.end(), std::nullopt);
      for (const ValueId v : sent()) {
        if (cost(v) >= graph_.spec(v).num_bytes()) continue;
        sent_.erase(v);
        compute_cheaply(v);
        changed = true;
        break;
      }
    }
  }

  void compute_cheaply(ValueId v) {
    if (computed_.contains(v) || sent_.contains(v) || used_.contains(v)) return;
    if (place_[at(v)] != Place::worker) return demand(v);
    if (cost(v) >= graph_.spec(v).num_bytes()) {
      sent_[v] = true;
      return;
    }
    const Node& node = *graph_.definition(v);
    for (const ValueId output : node.outputs) computed_[output] = true;
    for (const ValueId input : node.inputs) compute_cheaply(input);
  }

  const ir::Graph& graph_;
  std::vector<Place> place_;
  std::vector<std::optional<int64_t>> cost_;
  std::map<ValueId, bool> sent_;
  std::map<ValueId, bool> computed_;
  std::map<ValueId, bool> used_;
};

ir::Graph update_graph(const ir::Graph& graph, const std::vector<int64_t>& tasks, int64_t task,
                       const ShareFinder& share) {
  GraphCopy copy(graph);
  for (const ValueId v : share.sent()) copy.to.inputs.push_back(copy.input(v));
  for (size_t i = 0; i < graph.states.size(); ++i) {
    const StateSlot& slot = graph.states[i];
    if (tasks[i] == task && (slot.output >= 0 || share.uses(slot.input)))
      copy.to.states.push_back({slot.variable, copy.input(slot.input), slot.output});
  }
  for (const Node& node : graph.nodes) {
    if (std::any_of(node.outputs.begin(), node.outputs.end(),
                    [&](ValueId v) { return share.computes(v); }))
      copy.add(node);
  }
  for (StateSlot& slot : copy.to.states) {
    if (slot.output >= 0) slot.output = copy.map(slot.output);
  }
  return std::move(copy.to);
}

/// The worker's part. States become inputs, in the order of the shares, except the worker's own
/// states.
ir::Graph worker_graph(const ir::Graph& whole, const std::vector<ValueId>& outputs,
                       const std::function<int64_t(const Variable& variable)>& task_of,
                       std::vector<TaskShare>& shares) {
  ir::Graph graph = whole;
  graph.outputs = outputs;
  for (StateSlot& slot : graph.states) {
    if (task_of(slot.variable) != kOfWorker) slot.output = -1;
  }
  graph = prune(graph);
  const std::vector<bool> is_looked_up = looked_up_states(graph);
  std::set<ValueId> looked_up;
  GraphCopy copy(graph);
  for (const ValueId v : graph.inputs) copy.to.inputs.push_back(copy.input(v));
  for (TaskShare& share : shares) {
    std::vector<size_t> tables;
    for (size_t i = 0; i < graph.states.size(); ++i) {
      const StateSlot& slot = graph.states[i];
      if (task_of(slot.variable) != share.task) continue;
      if (is_looked_up[i]) {
        tables.push_back(i);
        continue;
      }
      share.reads.push_back(slot.variable);
      copy.to.inputs.push_back(copy.input(slot.input));
    }
    if (tables.empty()) continue;
    RowLookup lookup = row_lookup(graph, tables);
    share.lookup = std::move(lookup.graph);
    share.lookups = static_cast<int64_t>(lookup.rows.size());
    share.lookup_rows = std::move(lookup.filters);
    share.asks = std::move(lookup.arguments);
    for (const ValueId v : lookup.rows) {
      copy.to.inputs.push_back(copy.input(v));
      looked_up.insert(v);
    }
  }
  for (const StateSlot& slot : graph.states) {
    if (task_of(slot.variable) == kOfWorker)
      copy.to.states.push_back({slot.variable, copy.input(slot.input), slot.output});
  }
  for (const Node& node : graph.nodes) {
    if (!looked_up.contains(node.outputs[0])) copy.add(node);
  }
  for (StateSlot& slot : copy.to.states) {
    if (slot.output >= 0) slot.output = copy.map(slot.output);
  }
  for (const ValueId v : graph.outputs) copy.to.outputs.push_back(copy.map(v));
  return prune(copy.to);
}

/// Whether the value depends on a variable; only other values are available in every task.
bool needs_state(const ir::Graph& graph, ValueId v) {
  const Node* node = graph.definition(v);
  if (node != nullptr) {
    return std::any_of(node->inputs.begin(), node->inputs.end(),
                       [&](ValueId input) { return needs_state(graph, input); });
  }
  return std::any_of(graph.states.begin(), graph.states.end(),
                     [&](const StateSlot& slot) { return slot.input == v; });
}

/// If rows go to several tasks, restricts them and their ids to the rows that this task needs.
void filter_rows(const ir::Graph& graph, const ShareFinder& finder,
                 const std::vector<ValueId>& sent, const std::map<ValueId, int64_t>& receivers,
                 const std::function<int64_t(ValueId)>& output_of, TaskShare& share) {
  const auto computes = [&](ValueId v) { return finder.computes(v); };
  std::set<ValueId> ids;
  for (size_t i = 0; i < sent.size(); ++i) {
    if (receivers.at(sent[i]) < 2) continue;
    const auto needed = scattered_rows(graph, computes, sent[i]);
    if (!needed) continue;
    if (std::any_of(needed->begin(), needed->end(),
                    [&](const OwnedRows& part) { return needs_state(graph, part.ids); }))
      continue;
    RowFilter& filter = share.sent_rows.emplace_back();
    filter.set_value(static_cast<int32_t>(i));
    filter.set_rows(graph.spec(needed->front().ids).shape.num_elements());
    for (const OwnedRows& part : *needed) {
      ids.insert(part.ids);
      RowFilter::Range& range = *filter.add_ranges();
      range.set_ids(static_cast<int32_t>(output_of(part.ids)));
      range.set_end(part.end);
    }
  }
  for (size_t i = 0; i < sent.size(); ++i) {
    if (!ids.contains(sent[i])) continue;
    const std::optional<OwnedRows> needed = scattered_ids(graph, computes, sent[i]);
    if (!needed) continue;
    RowFilter& filter = share.sent_rows.emplace_back();
    filter.set_value(static_cast<int32_t>(i));
    filter.set_rows(graph.spec(sent[i]).shape.num_elements());
    filter.set_holds_ids(true);
    RowFilter::Range& range = *filter.add_ranges();
    range.set_ids(static_cast<int32_t>(share.sends[i]));
    range.set_end(needed->end);
  }
}

}  // namespace

SplitGraph split_graph(const ir::Graph& graph,
                       const std::function<int64_t(const Variable& variable)>& task_of) {
  SplitGraph result;
  result.arguments = static_cast<int64_t>(graph.inputs.size());
  result.results = static_cast<int64_t>(graph.outputs.size());
  std::vector<int64_t> tasks;
  for (const StateSlot& slot : graph.states) tasks.push_back(task_of(slot.variable));
  std::vector<int64_t> distinct = tasks;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::erase(distinct, kOfWorker);

  std::deque<ShareFinder> finders;
  std::map<ValueId, int64_t> receivers;
  for (const int64_t task : distinct) {
    for (const ValueId v : finders.emplace_back(graph, tasks, task).sent()) ++receivers[v];
  }
  std::vector<ValueId> outputs = graph.outputs;
  std::map<ValueId, int64_t> index_of;
  const auto output_of = [&](ValueId v) {
    const auto [found, is_new] = index_of.emplace(v, static_cast<int64_t>(outputs.size()));
    if (is_new) outputs.push_back(v);
    return found->second;
  };
  for (size_t i = 0; i < distinct.size(); ++i) {
    const int64_t task = distinct[i];
    const ShareFinder& finder = finders[i];
    TaskShare share;
    share.task = task;
    share.update = update_graph(graph, tasks, task, finder);
    const std::vector<ValueId> sent = finder.sent();
    for (const ValueId v : sent) share.sends.push_back(output_of(v));
    filter_rows(graph, finder, sent, receivers, output_of, share);
    result.shares.push_back(std::move(share));
  }
  result.worker = worker_graph(graph, outputs, task_of, result.shares);
  return result;
}

}  // namespace antler::cluster
