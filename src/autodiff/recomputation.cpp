#include "autodiff/recomputation.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "antler/autodiff/gradient_tape.h"
#include "antler/ir/emit.h"
#include "antler/ir/tracer.h"
#include "ops/core/barrier.h"

namespace antler {
namespace {

using ir::ValueId;

/// The regions of this thread, outermost first.
std::vector<std::shared_ptr<RematRegion::Range>>& open_ranges() {
  thread_local std::vector<std::shared_ptr<RematRegion::Range>> ranges;
  return ranges;
}

/// `range` or the innermost range around it that is complete and belongs to the current trace; null
/// if there is none.
const RematRegion::Range* usable(const RematRegion::Range* range) {
  const ir::Tracer* const tracer = ir::Tracer::current();
  while (range != nullptr && (tracer == nullptr || range->trace != tracer->id() || range->end < 0 ||
                              range->cancelled)) {
    range = range->parent.get();
  }
  return range;
}

bool is_in(const RematRegion::Range& range, const ir::Graph& graph, ValueId v) {
  const ir::NodeId node = graph.value(v).node;
  return node >= range.begin && node < range.end;
}

/// Whether a node may run twice. A host function may not: it could learn twice from the same batch.
bool is_repeatable(const ir::Node& node) {
  if (node.op->op_class == ir::OpClass::effect || std::string_view(node.op->name) == "host_map")
    return false;
  return std::all_of(node.regions.begin(), node.regions.end(), [](const ir::GraphPtr& region) {
    return std::all_of(region->nodes.begin(), region->nodes.end(), is_repeatable);
  });
}

/// Whether `v` depends on no input: a constant, an iota, or computed from those by a few ops.
bool is_constant(const ir::Graph& graph, ValueId v, int depth = 4) {
  const ir::Node* const node = graph.definition(v);
  if (node == nullptr || depth == 0 || node->op->op_class == ir::OpClass::effect) return false;
  return std::all_of(node->inputs.begin(), node->inputs.end(),
                     [&](ValueId input) { return is_constant(graph, input, depth - 1); });
}

/// Whether recomputing from `v` needs a barrier. Weights need none: they are in memory anyway.
bool needs_barrier(const ir::Tracer& tracer, ValueId v) {
  const ir::Graph& graph = tracer.graph();
  if (graph.definition(v) != nullptr) return !is_constant(graph, v);
  return !(is_floating(graph.spec(v).dtype) && tracer.is_initial_value(v));
}

/// The nodes of a range on which the values `needed` depend; adds the inputs of these nodes to
/// `needed`.
std::vector<ir::Node> needed_nodes(const ir::Graph& graph, const RematRegion::Range& range,
                                   std::unordered_set<ValueId>& needed) {
  std::vector<ir::Node> nodes;
  for (ir::NodeId n = range.end; n-- > range.begin;) {
    const ir::Node& node = graph.nodes[static_cast<size_t>(n)];
    if (node.op == &ir::kConstant || !is_repeatable(node)) continue;
    bool is_needed = false;
    for (const ValueId v : node.outputs) is_needed = is_needed || needed.contains(v);
    if (!is_needed) continue;
    needed.insert(node.inputs.begin(), node.inputs.end());
    nodes.push_back(node);
  }
  return {nodes.rbegin(), nodes.rend()};
}

/// `again` as a new value that outer tapes treat as equal to `first`: gradients flow through the
/// values that were computed first.
Tensor same_for_tapes(const Tensor& first, const Tensor& again) {
  return custom_gradient(
      [&](const Tensors&) {
        auto impl = std::make_shared<TensorImpl>(*again.impl());
        impl->id = next_unique_id();
        return Tensors{Tensor(std::move(impl))};
      },
      [](const Tensors&, const Tensors&, const Tensors& upstream) { return upstream; },
      Tensors{first})[0];
}

}  // namespace

RematRegion::RematRegion() {
  const ir::Tracer* const tracer = ir::Tracer::current();
  if (tracer == nullptr) return;
  auto& ranges = open_ranges();
  range_ =
      std::make_shared<Range>(Range{.trace = tracer->id(),
                                    .begin = static_cast<ir::NodeId>(tracer->graph().nodes.size()),
                                    .parent = ranges.empty() ? nullptr : ranges.back()});
  ranges.push_back(range_);
}

RematRegion::~RematRegion() {
  if (range_ == nullptr) return;
  std::erase(open_ranges(), range_);
  const ir::Tracer* const tracer = ir::Tracer::current();
  if (tracer != nullptr && tracer->id() == range_->trace)
    range_->end = static_cast<ir::NodeId>(tracer->graph().nodes.size());
}

void RematRegion::cancel() {
  if (range_ != nullptr) range_->cancelled = true;
}

RematRangePtr Recomputation::current_range() {
  const auto& ranges = open_ranges();
  return ranges.empty() ? nullptr : ranges.back();
}

void Recomputation::note(const RematRangePtr& range, const Tensors& values) {
  for (const Range* r = usable(range.get()); r != nullptr; r = usable(r->parent.get())) {
    const ir::Graph& graph = ir::Tracer::current()->graph();
    for (const Tensor& t : values) {
      if (!t.defined()) continue;
      const TensorImpl& impl = *t.impl();
      if (impl.trace == r->trace && is_in(*r, graph, impl.value_id))
        levels_[r].needed.insert(impl.value_id);
    }
  }
}

const Tensors& Recomputation::values(const RematRangePtr& range, const Tensors& values,
                                     const Tensors& gradients, Tensors& again) {
  const Range* const r = usable(range.get());
  if (r == nullptr) return values;
  const Level& level = emit_again(*r, gradients);
  again = values;
  for (Tensor& t : again) {
    if (!t.defined() || t.impl()->trace != r->trace) continue;
    if (const auto found = level.values.find(t.impl()->value_id); found != level.values.end())
      t = same_for_tapes(t, found->second);
  }
  return again;
}

Recomputation::Level& Recomputation::emit_again(const Range& range, const Tensors& gradients) {
  Level& level = levels_[&range];
  if (std::exchange(level.emitted, true)) return level;
  const Range* const outer = usable(range.parent.get());
  const Level* const around = outer == nullptr ? nullptr : &emit_again(*outer, gradients);
  const ir::Tracer& tracer = *ir::Tracer::current();
  // Copies of the nodes, because the graph grows during the loop below.
  const std::vector<ir::Node> nodes = needed_nodes(tracer.graph(), range, level.needed);

  std::unordered_set<ValueId> computed;
  for (const ir::Node& node : nodes) computed.insert(node.outputs.begin(), node.outputs.end());
  std::vector<ValueId> sources;
  Tensors first;
  const auto add_source = [&](ValueId v) {
    if (computed.contains(v) || level.values.contains(v)) return;
    Tensor t = tracer.value(v);
    if (around != nullptr) {
      if (const auto again = around->values.find(v); again != around->values.end())
        t = again->second;
    }
    level.values.emplace(v, t);
    if (!needs_barrier(tracer, v)) return;
    sources.push_back(v);
    first.push_back(t);
  };
  for (const ir::Node& node : nodes) {
    for (const ValueId v : node.inputs) add_source(v);
  }
  const ir::ObserverSuspension hidden;  // see same_for_tapes()
  Tensors after;
  for (const Tensor& gradient : gradients) {
    if (gradient.defined() && gradient.impl()->trace == range.trace) after.push_back(gradient);
  }
  if (!sources.empty()) {
    const Tensors behind = ops::optimization_barrier(first, after);
    for (size_t i = 0; i < sources.size(); ++i) level.values[sources[i]] = behind[i];
  }
  for (const ir::Node& node : nodes) {
    const ir::OriginScope origin(node.origin);
    Tensors inputs;
    for (const ValueId v : node.inputs) inputs.push_back(level.values.at(v));
    const Tensors outputs = ir::emit(*node.op, inputs, node.attrs, node.regions);
    for (size_t i = 0; i < outputs.size(); ++i) level.values[node.outputs[i]] = outputs[i];
  }
  return level;
}

}  // namespace antler
