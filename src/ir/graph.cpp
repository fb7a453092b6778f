#include "antler/ir/graph.h"

#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "antler/base/error.h"

namespace antler::ir {

void throw_missing_operand(size_t index, size_t count) {
  throw ValueError("An operation needs operand {}, but has {} operands.", index, count);
}

namespace {
thread_local Origin t_origin;
}

OriginScope::OriginScope(Origin origin) : previous_(std::exchange(t_origin, std::move(origin))) {}
OriginScope::~OriginScope() { t_origin = std::move(previous_); }
const Origin& OriginScope::current() { return t_origin; }

ValueId Graph::add_input(TensorSpec spec) {
  const auto id = static_cast<ValueId>(values.size());
  values.push_back({std::move(spec), -1, static_cast<int32_t>(inputs.size())});
  return id;
}

std::vector<ValueId> Graph::add_node(const OpDef& op, std::vector<ValueId> node_inputs, Attrs attrs,
                                     Regions regions, std::vector<TensorSpec> output_specs) {
  const auto node_id = static_cast<NodeId>(nodes.size());
  std::vector<ValueId> ids;
  for (size_t i = 0; i < output_specs.size(); ++i) {
    ids.push_back(static_cast<ValueId>(values.size()));
    values.push_back({std::move(output_specs[i]), node_id, static_cast<int32_t>(i)});
  }
  nodes.push_back({&op, std::move(node_inputs), ids, std::move(attrs), std::move(regions)});
  return ids;
}

std::vector<ValueId> Graph::results() const {
  std::vector<ValueId> all = outputs;
  for (const StateSlot& slot : states) {
    if (slot.output >= 0) all.push_back(slot.output);
  }
  return all;
}

namespace {

std::string type_of(const TensorSpec& spec) {
  return fmt::format("{} {}", dtype_name(spec.dtype), spec.shape.str());
}

/// "%3, %5"
std::string names_of(const std::vector<ValueId>& values) {
  return values.empty() ? "" : fmt::format("%{}", fmt::join(values, ", %"));
}

}  // namespace

std::string print(const Graph& graph) {
  std::string text = "graph(";
  auto out = std::back_inserter(text);
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const ValueId v = graph.inputs[i];
    fmt::format_to(out, "{}%{} : {}", i == 0 ? "" : ", ", v, type_of(graph.spec(v)));
  }
  text += ")\n";
  for (const StateSlot& slot : graph.states) {
    fmt::format_to(out, "  state %{} = {} : {}\n", slot.input, slot.variable.path(),
                   type_of(graph.spec(slot.input)));
  }
  for (const Node& node : graph.nodes) {
    const std::string attrs = node.attrs.str();
    fmt::format_to(out, "  {} = {}({})", names_of(node.outputs), node.op->name,
                   names_of(node.inputs));
    if (!attrs.empty()) fmt::format_to(out, " {{{}}}", attrs);
    text += " :";
    for (ValueId v : node.outputs) fmt::format_to(out, " {}", type_of(graph.spec(v)));
    if (node.origin != nullptr) fmt::format_to(out, "  # {}", *node.origin);
    text += "\n";
    for (const GraphPtr& region : node.regions) {
      std::string inner = print(*region);
      for (size_t at = 0; (at = inner.find('\n', at)) != std::string::npos && at + 1 < inner.size();
           at += 5) {
        inner.insert(at + 1, "    ");
      }
      text += "    " + inner;
    }
  }
  for (const StateSlot& slot : graph.states) {
    if (slot.output >= 0) fmt::format_to(out, "  {} <- %{}\n", slot.variable.path(), slot.output);
  }
  text += "  return";
  for (ValueId v : graph.outputs) fmt::format_to(out, " %{}", v);
  return text + "\n";
}

void verify(const Graph& graph) {
  std::vector<char> defined(graph.values.size(), 0);
  const auto check = [&](ValueId v, const std::string& where) {
    if (v < 0 || static_cast<size_t>(v) >= graph.values.size())
      throw InternalError("Invalid graph: {} names value {}.", where, v);
    if (defined[static_cast<size_t>(v)] == 0)
      throw InternalError("Invalid graph: {} uses %{} before it is defined.", where, v);
  };
  for (ValueId v : graph.inputs) defined[static_cast<size_t>(v)] = 1;
  for (const StateSlot& slot : graph.states) defined[static_cast<size_t>(slot.input)] = 1;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    const std::string where = fmt::format("node {} ({})", n, node.op->name);
    std::vector<TensorSpec> specs;
    for (ValueId v : node.inputs) {
      check(v, where);
      specs.push_back(graph.spec(v));
    }
    const std::vector<TensorSpec> expected = node.op->infer({specs, node.attrs, node.regions});
    if (expected.size() != node.outputs.size())
      throw InternalError("Invalid graph: {} has a wrong number of outputs.", where);
    for (size_t i = 0; i < expected.size(); ++i) {
      const Value& value = graph.value(node.outputs[i]);
      if (!(value.spec == expected[i])) {
        throw InternalError("Invalid graph: {} output {} is {}, but its shape rule gives {}.",
                            where, i, type_of(value.spec), type_of(expected[i]));
      }
      if (value.node != static_cast<NodeId>(n))
        throw InternalError("Invalid graph: {}: an output does not point back to its node.", where);
      defined[static_cast<size_t>(node.outputs[i])] = 1;
    }
    for (const GraphPtr& region : node.regions) verify(*region);
  }
  for (ValueId v : graph.outputs) check(v, "a graph output");
  for (const StateSlot& slot : graph.states) {
    if (slot.output < 0) continue;
    check(slot.output, "state " + slot.variable.path());
    if (!(graph.spec(slot.output) == graph.spec(slot.input)))
      throw InternalError("Invalid graph: state {} changes its type.", slot.variable.path());
  }
}

Graph prune(const Graph& graph) {
  std::vector<char> needed(graph.values.size(), 0);
  for (ValueId v : graph.results()) needed[static_cast<size_t>(v)] = 1;
  std::vector<char> keep(graph.nodes.size(), 0);
  for (size_t n = graph.nodes.size(); n-- > 0;) {
    const Node& node = graph.nodes[n];
    bool used = node.op->op_class == OpClass::effect;
    for (ValueId v : node.outputs) used = used || needed[static_cast<size_t>(v)] != 0;
    if (!used) continue;
    keep[n] = 1;
    for (ValueId v : node.inputs) needed[static_cast<size_t>(v)] = 1;
  }
  Graph result;
  std::vector<ValueId> map(graph.values.size(), -1);
  const auto at = [&](ValueId v) -> ValueId& { return map[static_cast<size_t>(v)]; };
  for (ValueId v : graph.inputs) {
    at(v) = result.add_input(graph.spec(v));
    result.inputs.push_back(at(v));
  }
  for (const StateSlot& slot : graph.states) {
    if (slot.output < 0 && needed[static_cast<size_t>(slot.input)] == 0) continue;
    at(slot.input) = result.add_input(graph.spec(slot.input));
    result.states.push_back({slot.variable, at(slot.input), slot.output});
  }
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (keep[n] == 0) continue;
    const Node& node = graph.nodes[n];
    const OriginScope origin(node.origin);
    std::vector<ValueId> inputs;
    std::vector<TensorSpec> specs;
    for (ValueId v : node.inputs) inputs.push_back(at(v));
    for (ValueId v : node.outputs) specs.push_back(graph.spec(v));
    const auto ids =
        result.add_node(*node.op, std::move(inputs), node.attrs, node.regions, std::move(specs));
    for (size_t i = 0; i < ids.size(); ++i) at(node.outputs[i]) = ids[i];
  }
  for (ValueId v : graph.outputs) result.outputs.push_back(at(v));
  for (StateSlot& slot : result.states) {
    if (slot.output >= 0) slot.output = at(slot.output);
  }
  return result;
}

}  // namespace antler::ir
