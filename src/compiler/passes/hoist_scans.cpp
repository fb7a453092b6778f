#include <algorithm>
#include <numeric>

#include "compiler/at.h"
#include "compiler/kernels.h"
#include "compiler/passes/dot_dims.h"
#include "compiler/passes/lift.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/scan_parts.h"

// A step of a scan should hold only what must be done in order:
//
//     before the scan: what depends on xs and captures only; z = dot(x_t, w) of all steps becomes
//         one product
//     after the scan: sums over time, and what only ys need:
//         carry s' = s + dot(a, b)   ->   ys a, b;  s + dot over time and the contracted
//                                         dimensions of a and b
//         ys y = dot(h, w)           ->   ys h;     one dot of all steps
namespace antler::compiler {
namespace {

using ir::Ints;
using ir::ValueId;

class Hoister {
 public:
  Hoister(Rewriter& to, const ir::Graph& graph, const ir::Node& node, const std::vector<char>& used)
      : to_(to),
        scan_(node),
        body_(scan_.body),
        used_(used),
        lifter_(to, body_, scan_.length),
        budget_(kMaxScanGrowth * scan_bytes(graph, node)) {}

  /// False if there is nothing to move.
  bool run();

 private:
  struct Sum {
    size_t carry;
    std::vector<ValueId> terms;
  };

  void find_dependences();
  void count_uses();
  void find_sums();
  bool afford(const std::vector<ValueId>& values);
  bool can_sink(ValueId term);
  void sort_ys();
  void find_needed();
  void take_outside(ValueId v);
  void find_frontier();
  void emit();
  ValueId sum_over_time(ValueId term);

  int64_t stacked_bytes(ValueId v) const { return bytes_of(body_, v) * scan_.length; }
  bool is_ys(ValueId v) const {
    for (size_t i = scan_.num_carry; i < body_.outputs.size(); ++i) {
      if (body_.outputs[i] == v && used_[at(scan_.node.outputs[i])] != 0) return true;
    }
    return false;
  }

  Rewriter& to_;
  ScanParts scan_;
  const ir::Graph& body_;
  const std::vector<char>& used_;  // values of the graph that are read
  Lifter lifter_;
  int64_t budget_;

  // By value of the body.
  std::vector<char> carried_;   // depends on a carry
  std::vector<char> stacked_;   // differs between steps
  std::vector<char> liftable_;  // can be computed outside
  std::vector<char> needed_;    // the next carry needs it
  std::vector<char> follows_;   // no carry needs it, and it depends on a product that none needs
  std::vector<char> counted_;   // its bytes are taken from the budget
  std::vector<int> uses_;

  std::vector<Sum> sums_;
  std::vector<size_t> carries_;    // that stay
  std::vector<size_t> ys_;         // that stay
  std::vector<size_t> lifted_ys_;  // computed outside
  std::vector<ValueId> returned_;  // extra ys, for values computed after the scan
  std::vector<ValueId> frontier_;  // computed before the scan
  std::vector<char> visited_;      // read by the new body
  bool changed_ = false;
};

void Hoister::find_dependences() {
  const size_t n = body_.values.size();
  carried_.assign(n, 0);
  stacked_.assign(n, 0);
  liftable_.assign(n, 0);
  follows_.assign(n, 0);
  counted_.assign(n, 0);
  for (size_t i = 0; i < body_.inputs.size(); ++i) {
    const ValueId v = body_.inputs[i];
    carried_[at(v)] = i < scan_.num_carry ? 1 : 0;
    stacked_[at(v)] = i < scan_.num_read() ? 1 : 0;
    liftable_[at(v)] = i < scan_.num_carry ? 0 : 1;
    if (i >= scan_.num_carry) {
      lifter_.set(v, {to_.map(scan_.node.inputs[i]), i < scan_.num_read()});
    }
  }
  for (const ir::Node& node : body_.nodes) {
    std::vector<char> stacked;
    char carried = 0;
    char liftable = 1;
    for (ValueId v : node.inputs) {
      stacked.push_back(stacked_[at(v)]);
      carried = std::max(carried, carried_[at(v)]);
      liftable = std::min(liftable, liftable_[at(v)]);
    }
    if (!Lifter::can_lift(node, stacked)) liftable = 0;
    const char any = std::find(stacked.begin(), stacked.end(), 1) == stacked.end() ? 0 : 1;
    for (ValueId v : node.outputs) {
      carried_[at(v)] = carried;
      stacked_[at(v)] = any;
      liftable_[at(v)] = liftable;
    }
  }
}

/// Counts the uses of each value, ignoring ys that nothing reads.
void Hoister::count_uses() {
  uses_.assign(body_.values.size(), 0);
  for (size_t i = 0; i < body_.outputs.size(); ++i) {
    const bool read = i < scan_.num_carry || used_[at(scan_.node.outputs[i])] != 0;
    if (read) ++uses_[at(body_.outputs[i])];
  }
  for (size_t n = body_.nodes.size(); n-- > 0;) {
    const ir::Node& node = body_.nodes[n];
    const bool alive = std::any_of(node.outputs.begin(), node.outputs.end(),
                                   [&](ValueId v) { return uses_[at(v)] > 0; });
    if (!alive) continue;
    for (ValueId v : node.inputs) ++uses_[at(v)];
  }
}

/// Takes the bytes that computing `values` outside would store, beyond the new results themselves,
/// from the budget. False if they exceed it.
bool Hoister::afford(const std::vector<ValueId>& values) {
  std::vector<ValueId> open = values;
  std::vector<ValueId> met;
  int64_t bytes = 0;
  while (!open.empty()) {
    const ValueId v = open.back();
    open.pop_back();
    const ir::Node* node = body_.definition(v);
    const bool outside = liftable_[at(v)] != 0 || follows_[at(v)] != 0;
    if (counted_[at(v)] != 0 || (outside && node == nullptr)) continue;
    counted_[at(v)] = 1;
    met.push_back(v);
    if (!outside) {
      bytes += is_ys(v) ? 0 : stacked_bytes(v);
      continue;
    }
    if (stacked_[at(v)] != 0 && is_expensive(*node)) bytes += stacked_bytes(v);
    open.insert(open.end(), node->inputs.begin(), node->inputs.end());
  }
  if (bytes <= budget_) {
    budget_ -= bytes;
    return true;
  }
  for (ValueId v : met) counted_[at(v)] = 0;
  return false;
}

/// Whether a term of a sum over time can be summed after the scan, within the budget.
bool Hoister::can_sink(ValueId term) {
  const ir::Node* node = body_.definition(term);
  while (node != nullptr && kind_of(*node) == OpKind::transpose && uses_[at(term)] == 1) {
    term = node->inputs[0];
    node = body_.definition(term);
  }
  const OpKind kind = node == nullptr ? OpKind::other : kind_of(*node);
  if (kind == OpKind::dot_general) return afford(node->inputs);
  if (kind == OpKind::reduce_sum && is_ys(node->inputs[0])) return true;
  return liftable_[at(term)] != 0 && afford({term});
}

void Hoister::find_sums() {
  for (size_t i = 0; i < scan_.num_carry; ++i) {
    const ValueId in = body_.inputs[i];
    const ValueId out = body_.outputs[i];
    Sum sum{i, {}};
    if (uses_[at(in)] == 1 && uses_[at(out)] == 1 && dtype_size(body_.spec(in).dtype) >= 4) {
      std::vector<ValueId> open = {out};
      int found = 0;
      while (!open.empty()) {
        const ValueId v = open.back();
        open.pop_back();
        const ir::Node* node = body_.definition(v);
        if (v == in) {
          ++found;
        } else if (node != nullptr && kind_of(*node) == OpKind::add && uses_[at(v)] == 1) {
          open.insert(open.end(), node->inputs.rbegin(), node->inputs.rend());
        } else {
          sum.terms.push_back(v);
        }
      }
      const int64_t before = budget_;
      const std::vector<char> counted = counted_;
      if (found == 1 &&
          std::all_of(sum.terms.begin(), sum.terms.end(), [&](ValueId v) { return can_sink(v); })) {
        sums_.push_back(std::move(sum));
        continue;
      }
      budget_ = before;
      counted_ = counted;
    }
    carries_.push_back(i);
  }
}

void Hoister::find_needed() {
  needed_.assign(body_.values.size(), 0);
  for (size_t i : carries_) needed_[at(body_.outputs[i])] = 1;
  for (size_t n = body_.nodes.size(); n-- > 0;) {
    const ir::Node& node = body_.nodes[n];
    for (ValueId v : node.outputs) {
      if (needed_[at(v)] == 0) continue;
      for (ValueId u : node.inputs) needed_[at(u)] = 1;
      break;
    }
  }
  for (const ir::Node& node : body_.nodes) {
    if (node.outputs.size() != 1) continue;
    const ValueId out = node.outputs[0];
    if (needed_[at(out)] != 0 || carried_[at(out)] == 0) continue;
    std::vector<char> stacked;
    bool follows = kind_of(node) == OpKind::dot_general;
    for (ValueId v : node.inputs) {
      stacked.push_back(stacked_[at(v)]);
      follows = follows || follows_[at(v)] != 0;
    }
    follows_[at(out)] = follows && Lifter::can_lift(node, stacked) ? 1 : 0;
  }
}

/// Records what the scan must return so that `v` can be computed after it.
void Hoister::take_outside(ValueId v) {
  if (liftable_[at(v)] != 0) return;
  if (follows_[at(v)] != 0) {
    for (ValueId input : body_.definition(v)->inputs) take_outside(input);
    return;
  }
  if (std::find(returned_.begin(), returned_.end(), v) == returned_.end()) returned_.push_back(v);
}

void Hoister::sort_ys() {
  for (size_t i = scan_.num_carry; i < body_.outputs.size(); ++i) {
    const ValueId v = body_.outputs[i];
    if (used_[at(scan_.node.outputs[i])] == 0) {
      changed_ = true;
    } else if ((liftable_[at(v)] != 0 || follows_[at(v)] != 0) && afford({v})) {
      lifted_ys_.push_back(i);
      take_outside(v);
    } else {
      ys_.push_back(i);
    }
  }
  for (const Sum& sum : sums_) {
    for (ValueId term : sum.terms) {
      if (liftable_[at(term)] != 0) continue;
      const ir::Node* node = body_.definition(term);
      while (kind_of(*node) == OpKind::transpose) node = body_.definition(node->inputs[0]);
      for (ValueId v : node->inputs) take_outside(v);
    }
  }
  changed_ = changed_ || !lifted_ys_.empty() || !sums_.empty();
}

void Hoister::find_frontier() {
  visited_.assign(body_.values.size(), 0);
  std::vector<ValueId> open;
  const auto visit = [&](ValueId v) {
    if (visited_[at(v)] != 0) return;
    visited_[at(v)] = 1;
    open.push_back(v);
  };
  for (size_t i : carries_) visit(body_.outputs[i]);
  for (size_t i : ys_) visit(body_.outputs[i]);
  for (ValueId v : returned_) visit(v);
  while (!open.empty()) {
    const ValueId v = open.back();
    open.pop_back();
    const ir::Node* node = body_.definition(v);
    if (node == nullptr) continue;
    const bool for_all = stacked_[at(v)] == 0 && kind_of(*node) == OpKind::transpose;
    if (liftable_[at(v)] != 0 && (is_expensive(*node) || for_all)) {
      if (afford({v})) {
        frontier_.push_back(v);
        continue;
      }
    }
    for (ValueId u : node->inputs) visit(u);
  }
  std::sort(frontier_.begin(), frontier_.end());
  changed_ = changed_ || !frontier_.empty();
  for (size_t i = scan_.num_carry; i < body_.inputs.size(); ++i) {
    changed_ = changed_ || visited_[at(body_.inputs[i])] == 0;
  }
}

ValueId Hoister::sum_over_time(ValueId term) {
  const auto reduced = [&](ValueId stacked, const Ints& axes) {
    return to_.add(OpKind::reduce_sum, {stacked}, {{"axes", axes}});
  };
  const ir::Node* node = body_.definition(term);
  if (node != nullptr && kind_of(*node) == OpKind::transpose) {
    return add_transpose(to_, sum_over_time(node->inputs[0]), node->attrs.ints("perm"));
  }
  const auto time_and = [](const Ints& dims) {
    Ints result = {0};
    for (int64_t d : dims) result.push_back(d + 1);
    return result;
  };
  if (node != nullptr && kind_of(*node) == OpKind::reduce_sum) {
    return reduced(lifter_.stacked(node->inputs[0]), time_and(node->attrs.ints("axes")));
  }
  if (node == nullptr || kind_of(*node) != OpKind::dot_general) {
    return reduced(lifter_.stacked(term), {0});
  }
  DotLists lists(node->attrs, body_.spec(node->inputs[0]).shape.rank(),
                 body_.spec(node->inputs[1]).shape.rank());
  lists.lhs_contract = time_and(lists.lhs_contract);
  lists.rhs_contract = time_and(lists.rhs_contract);
  for (Ints* batch : {&lists.lhs_batch, &lists.rhs_batch}) {
    for (int64_t& d : *batch) ++d;
  }
  return to_.add(*node->op, {lifter_.stacked(node->inputs[0]), lifter_.stacked(node->inputs[1])},
                 lists.attrs())[0];
}

void Hoister::emit() {
  const auto& operands = scan_.node.inputs;
  std::vector<ValueId> inputs;  // of the new body, as values of the old one
  std::vector<ValueId> outer;
  std::vector<ValueId> outputs;
  for (size_t i : carries_) {
    inputs.push_back(body_.inputs[i]);
    outer.push_back(to_.map(operands[i]));
    outputs.push_back(body_.outputs[i]);
  }
  int64_t num_xs = 0;
  const auto read = [&](size_t begin, size_t end, bool stacked) {
    for (size_t i = begin; i < end; ++i) {
      if (visited_[at(body_.inputs[i])] == 0) continue;
      inputs.push_back(body_.inputs[i]);
      outer.push_back(to_.map(operands[i]));
      num_xs += stacked ? 1 : 0;
    }
    for (ValueId v : frontier_) {
      if ((stacked_[at(v)] != 0) != stacked) continue;
      inputs.push_back(v);
      outer.push_back(lifter_.lift(v).value);
      num_xs += stacked ? 1 : 0;
    }
  };
  read(scan_.num_carry, scan_.num_read(), true);
  read(scan_.num_read(), operands.size(), false);
  for (size_t i : ys_) outputs.push_back(body_.outputs[i]);
  std::vector<ValueId> extra;
  for (ValueId v : returned_) {
    if (std::none_of(ys_.begin(), ys_.end(), [&](size_t i) { return body_.outputs[i] == v; })) {
      extra.push_back(v);
    }
  }
  outputs.insert(outputs.end(), extra.begin(), extra.end());
  if (!outputs.empty()) {
    const auto results =
        to_.add(*scan_.node.op, std::move(outer),
                {{"num_carry", static_cast<int64_t>(carries_.size())},
                 {"num_xs", num_xs},
                 {"length", scan_.length},
                 {"reverse", scan_.node.attrs.flag("reverse")},
                 {"saves_carry", false}},
                {std::make_shared<const ir::Graph>(rebuild_body(body_, inputs, outputs))});
    size_t next = 0;
    for (size_t i : carries_) to_.replace(scan_.node.outputs[i], results[next++]);
    for (size_t i : ys_) {
      if (!lifter_.knows(body_.outputs[i])) lifter_.set(body_.outputs[i], {results[next], true});
      to_.replace(scan_.node.outputs[i], results[next++]);
    }
    for (ValueId v : extra) lifter_.set(v, {results[next++], true});
  }
  for (size_t i : lifted_ys_) {
    to_.replace(scan_.node.outputs[i], lifter_.stacked(body_.outputs[i]));
  }
  for (const Sum& sum : sums_) {
    ValueId total = to_.map(operands[sum.carry]);
    for (ValueId term : sum.terms) total = to_.add(OpKind::add, {total, sum_over_time(term)});
    to_.replace(scan_.node.outputs[sum.carry], total);
  }
}

bool Hoister::run() {
  if (scan_.length < 2) return false;
  find_dependences();
  count_uses();
  find_sums();
  find_needed();
  sort_ys();
  find_frontier();
  if (!changed_) return false;
  emit();
  return true;
}

}  // namespace

ir::Graph hoist_scans(const ir::Graph& graph, const CompileOptions&) {
  std::vector<char> used(graph.values.size(), 0);
  for (const ir::Node& node : graph.nodes) {
    for (ValueId v : node.inputs) used[at(v)] = 1;
  }
  for (ValueId v : graph.results()) used[at(v)] = 1;
  Rewriter to(graph);
  for (const ir::Node& node : graph.nodes) {
    const bool moved = kind_of(node) == OpKind::scan && !ScanParts(node).in_steps &&
                       Hoister(to, graph, node, used).run();
    if (!moved) to.copy(node);
  }
  return ir::prune(to.finish());
}

}  // namespace antler::compiler
