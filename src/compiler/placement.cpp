#include "compiler/placement.h"

#include <algorithm>

#include "antler/base/error.h"
#include "compiler/arena.h"
#include "compiler/at.h"
#include "compiler/kernels.h"
#include "compiler/op_kind.h"
#include "compiler/views.h"

namespace antler::compiler {
namespace {

using ir::ValueId;

/// Whether a nest may write value `to` over value `from`, which it reads: only the parallel point
/// that writes an element reads it, and not after the write.
bool may_overwrite(const PlanKernel& kernel, ValueId from, ValueId to) {
  if (kernel.kind != PlanKernel::Kind::loop) return false;
  const LoopNest& nest = kernel.nest;
  const auto value = [&](const Access& a) { return kernel.buffers[at(a.buffer)]; };
  const Access* written = nullptr;
  size_t phase_written = 0;
  for (size_t p = 0; p < nest.phases.size(); ++p) {
    for (const Store& store : nest.phases[p].stores) {
      if (value(store.access) != to) continue;
      if (written == nullptr) {
        written = &store.access;
        phase_written = p;
      } else if (store.access.offset != written->offset ||
                 store.access.parallel != written->parallel ||
                 store.access.reduction != written->reduction) {
        return false;
      }
    }
  }
  if (written == nullptr) return false;
  const auto is_row = [](const Access& a) {
    return std::all_of(a.reduction.begin(), a.reduction.end(),
                       [](int64_t stride) { return stride == 0; });
  };
  for (size_t p = 0; p < nest.phases.size(); ++p) {
    for (const Expr& e : nest.phases[p].exprs) {
      if (e.kind != Expr::Kind::load || value(e.access) != from) continue;
      if (p > phase_written || e.access.offset != written->offset ||
          e.access.parallel != written->parallel)
        return false;
      const bool same_loop = e.access.reduction == written->reduction &&
                             nest.phases[p].extents == nest.phases[phase_written].extents;
      const bool row_before = p < phase_written && is_row(e.access) && is_row(*written);
      if (!same_loop && !row_before) return false;
    }
  }
  return true;
}

class Placer {
 public:
  explicit Placer(Plan& plan) : plan_(plan), graph_(plan.graph) {}
  void run();

 private:
  Slot& slot(ValueId v) { return plan_.slots[at(v)]; }
  void find_lifetimes();
  void place_inputs();
  void place_results();
  void place_states();
  bool writes_in_place(const ir::StateSlot& state, ValueId output) const;
  void place_arena();
  void place_aliases();
  void count_memory();

  Plan& plan_;
  ir::Graph& graph_;
  std::vector<int> first_;  // value -> kernel that writes it, or -1
  std::vector<int> last_;   // value -> last kernel that reads it, or first_
};

void Placer::find_lifetimes() {
  first_.assign(graph_.values.size(), -1);
  last_.assign(graph_.values.size(), -1);
  for (size_t k = 0; k < plan_.kernels.size(); ++k) {
    for (ValueId v : reads_of(graph_, plan_.kernels[k])) last_[at(v)] = static_cast<int>(k);
    for (ValueId v : writes_of(graph_, plan_.kernels[k]))
      first_[at(v)] = last_[at(v)] = static_cast<int>(k);
  }
}

void Placer::place_inputs() {
  for (size_t i = 0; i < graph_.inputs.size(); ++i) {
    slot(graph_.inputs[i]) = {Slot::Space::argument, static_cast<int32_t>(i), 0};
  }
  for (size_t i = 0; i < graph_.states.size(); ++i) {
    slot(graph_.states[i].input) = {Slot::Space::state, static_cast<int32_t>(i), 0};
  }
  for (size_t n = 0; n < graph_.nodes.size(); ++n) {
    if (kind_of(graph_.nodes[n]) != OpKind::constant) continue;
    slot(graph_.nodes[n].outputs[0]) = {Slot::Space::constant, static_cast<int32_t>(n), 0};
  }
}

void Placer::place_results() {
  for (size_t i = 0; i < graph_.outputs.size(); ++i) {
    Slot& s = slot(storage_base(graph_, graph_.outputs[i]));
    if (s.space != Slot::Space::none)
      throw InternalError("A result of the plan has no separate memory.");
    s = {Slot::Space::result, static_cast<int32_t>(i), 0};
  }
}

/// Whether nothing needs the old value of a state once the kernel that computes the new one runs.
bool Placer::writes_in_place(const ir::StateSlot& state, ValueId output) const {
  const int writer = first_[at(output)];
  const int reader = last_[at(state.input)];
  if (reader < writer) return true;
  return reader == writer && may_overwrite(plan_.kernels[at(writer)], state.input, output);
}

void Placer::place_states() {
  const size_t states = graph_.states.size();
  for (size_t i = 0; i < states; ++i) {
    if (graph_.states[i].output < 0) continue;
    const ValueId output = storage_base(graph_, graph_.states[i].output);
    if (slot(output).space != Slot::Space::none)
      throw InternalError("The new value of a state has no separate memory.");
    const Slot place = {Slot::Space::state, static_cast<int32_t>(i), 0};
    if (writes_in_place(graph_.states[i], output)) {
      slot(output) = place;
      continue;
    }
    const ValueId copy =
        graph_.add_node(op_of(OpKind::stop_gradient), {output}, {}, {}, {graph_.spec(output)})[0];
    if (!(graph_.spec(output) == graph_.spec(graph_.states[i].input))) {
      // Only the bytes matter, but the graph must stay valid.
      const Shape& shape = graph_.spec(graph_.states[i].input).shape;
      graph_.states[i].output =
          graph_.add_node(op_of(OpKind::reshape), {copy}, {{"shape", shape.dims()}}, {},
                          {graph_.spec(graph_.states[i].input)})[0];
    } else {
      graph_.states[i].output = copy;
    }
    plan_.slots.resize(graph_.values.size());
    slot(copy) = place;
    plan_.kernels.push_back(make_copy(graph_, output, copy));
  }
}

void Placer::place_arena() {
  find_lifetimes();  // again: place_states() may have added copies
  std::vector<Interval> intervals;
  std::vector<int> interval_of(graph_.values.size(), -1);
  for (size_t k = 0; k < plan_.kernels.size(); ++k) {
    const PlanKernel& kernel = plan_.kernels[k];
    const int now = static_cast<int>(k);
    std::vector<ValueId> free;  // operands that are read here for the last time
    for (ValueId v : reads_of(graph_, kernel)) {
      if (interval_of[at(v)] >= 0 && last_[at(v)] == now) free.push_back(v);
    }
    for (ValueId v : writes_of(graph_, kernel)) {
      if (slot(v).space != Slot::Space::none) continue;
      const auto over = std::find_if(free.begin(), free.end(), [&](ValueId old) {
        return bytes_of(graph_, old) == bytes_of(graph_, v) &&
               graph_.spec(old).dtype == graph_.spec(v).dtype && may_overwrite(kernel, old, v);
      });
      if (over != free.end()) {
        interval_of[at(v)] = interval_of[at(*over)];
        intervals[at(interval_of[at(v)])].last = last_[at(v)];
        free.erase(over);
      } else {
        interval_of[at(v)] = static_cast<int>(intervals.size());
        intervals.push_back({bytes_of(graph_, v), now, last_[at(v)], 0});
      }
    }
  }
  plan_.memory.arena = pack(intervals);
  for (size_t v = 0; v < interval_of.size(); ++v) {
    if (interval_of[v] >= 0)
      plan_.slots[v] = {Slot::Space::arena, 0, intervals[at(interval_of[v])].offset};
  }
}

void Placer::place_aliases() {
  for (const ir::Node& node : graph_.nodes) {
    if (is_alias(graph_, node)) slot(node.outputs[0]) = slot(storage_base(graph_, node.outputs[0]));
  }
}

void Placer::count_memory() {
  MemoryPlan& m = plan_.memory;
  for (ValueId v : graph_.inputs) m.arguments += bytes_of(graph_, v);
  for (const ir::StateSlot& state : graph_.states) m.states += bytes_of(graph_, state.input);
  for (ValueId v : graph_.outputs) m.results += bytes_of(graph_, v);
  std::vector<char> counted(graph_.values.size(), 0);
  for (const PlanKernel& kernel : plan_.kernels) {
    for (ValueId v : kernel.buffers) {
      if (slot(v).space != Slot::Space::constant || counted[at(v)] != 0) continue;
      counted[at(v)] = 1;
      m.constants += bytes_of(graph_, v);
    }
  }
}

void Placer::run() {
  plan_.slots.assign(graph_.values.size(), {});
  find_lifetimes();
  place_inputs();
  place_results();
  place_states();
  place_arena();
  place_aliases();
  count_memory();
}

}  // namespace

void place_values(Plan& plan) { Placer(plan).run(); }

}  // namespace antler::compiler
