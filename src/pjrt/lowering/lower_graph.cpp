#include <optional>
#include <unordered_map>

#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "base/strings.h"
#include "compiler/passes/passes.h"
#include "ops/spmd.h"
#include "pjrt/lowering/families.h"
#include "pjrt/lowering/lowering.h"

namespace antler::pjrt {
namespace {

constexpr Rules (*kFamilies[])() = {
    elementwise_rules, movement_rules,   reduction_rules,  product_rules, convolution_rules,
    window_rules,      indexing_rules,   sorting_rules,    control_rules, random_rules,
    linalg_rules,      orthogonal_rules, collective_rules, spmd_rules,
};

Values lower_constant(const LowerArgs& args) {
  return {args.emit.literal(args.attrs().get<Tensor>("value"))};
}

const Rule* find_rule(std::string_view op) {
  static const auto index = [] {
    static constexpr Rule kConstantRule = {"constant", lower_constant};
    std::unordered_map<std::string_view, const Rule*> map = {{"constant", &kConstantRule}};
    for (const auto family : kFamilies) {
      for (const Rule& rule : family()) map.emplace(rule.op, &rule);
    }
    return map;
  }();
  const auto it = index.find(op);
  return it == index.end() ? nullptr : it->second;
}

using Pass = ir::Graph (*)(const ir::Graph&, const compiler::CompileOptions&);

ir::Graph run_pass(Pass pass, ir::Graph graph, const compiler::CompileOptions& options = {}) {
  for (ir::Node& node : graph.nodes) {
    for (ir::GraphPtr& region : node.regions)
      region = std::make_shared<const ir::Graph>(run_pass(pass, *region, options));
  }
  return pass(graph, options);
}

ir::Graph clean(ir::Graph graph) {
  constexpr Pass kPasses[] = {compiler::simplify, compiler::cse, compiler::dce};
  for (const Pass pass : kPasses) graph = run_pass(pass, std::move(graph));
  return graph;
}

/// "model/dense/dot_general -> float32 (32, 10)"
std::string place_of(const ir::Node& node, const std::vector<TensorSpec>& outputs) {
  std::string origin = node.origin == nullptr ? "" : *node.origin + "/";
  for (char& c : origin) {
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ') c = '_';
  }
  return format("{}{} -> {}", origin, node.op->name,
                join(outputs, ", ", [](const TensorSpec& spec) {
                  return format("{} {}", dtype_name(spec.dtype), spec.shape);
                }));
}

}  // namespace

int64_t replicas_of(const ir::Graph& graph) {
  int64_t replicas = 1;
  for (const ir::Node& node : graph.nodes) {
    if (node.op != &ops::kSpmd) continue;
    const int64_t count = node.attrs.integer("replicas");
    if (replicas != 1 && replicas != count) return 1;
    replicas = count;
  }
  return replicas;
}

ir::Graph prepare(ir::Graph graph, bool keeps_replicas) {
  if (!keeps_replicas) {
    graph = run_pass(compiler::expand_replicas, std::move(graph));
  } else {
    for (ir::Node& node : graph.nodes) {
      if (node.op == &ops::kSpmd) node.regions.resize(1);  // the other is for one device
    }
  }
  graph = run_pass(compiler::decompose, std::move(graph));
  graph = clean(run_pass(compiler::partition, std::move(graph)));
  ir::verify(graph);
  return graph;
}

std::optional<MeshProgram> prepare_for_mesh(ir::Graph graph) {
  const auto keeps = [](const ir::Graph&, const ir::Node& node) {
    return node.op == &ops::kMeshLayout;
  };
  graph = run_pass(compiler::expand_replicas, std::move(graph));
  return place_on_mesh(run_pass(compiler::decompose, std::move(graph), {.prefers_library = keeps}),
                       clean);
}

std::string find_unsupported(const ir::Graph& graph) {
  for (const ir::Node& node : graph.nodes) {
    if (find_rule(node.op->name) == nullptr)
      return format("the op `{}` has no lowering to StableHLO", node.op->name);
    for (const ir::GraphPtr& region : node.regions) {
      if (std::string reason = find_unsupported(*region); !reason.empty()) return reason;
    }
  }
  return {};
}

Values lower_body(Emitter& emit, const ir::Graph& graph, std::span<const Value> inputs) {
  std::vector<Value> values(graph.values.size());
  const auto at = [&](ir::ValueId v) -> Value& { return values[static_cast<size_t>(v)]; };
  size_t next = 0;
  for (const ir::ValueId v : graph.inputs) at(v) = inputs[next++];
  for (const ir::StateSlot& state : graph.states) at(state.input) = inputs[next++];
  for (const ir::Node& node : graph.nodes) {
    const Rule* const rule = find_rule(node.op->name);
    if (rule == nullptr)
      throw Unsupported{format("the op `{}` has no lowering to StableHLO", node.op->name)};
    Values operands;
    for (const ir::ValueId v : node.inputs) operands.push_back(at(v));
    std::vector<TensorSpec> outputs;
    for (const ir::ValueId v : node.outputs) outputs.push_back(graph.spec(v));
    const Emitter::Location place(emit, place_of(node, outputs));
    const Values results = rule->lower({emit, node, operands, outputs});
    if (results.size() != outputs.size())
      throw InternalError("the lowering of {} gives {} results instead of {}", node.op->name,
                          results.size(), outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (results[i].type.str() != type_of(outputs[i]).str()) {
        throw InternalError("the lowering of {} gives {} instead of {}", node.op->name,
                            results[i].type.str(), type_of(outputs[i]).str());
      }
      at(node.outputs[i]) = results[i];
    }
  }
  Values results;
  for (const ir::ValueId v : graph.outputs) results.push_back(at(v));
  for (const ir::StateSlot& state : graph.states) {
    if (state.output >= 0) results.push_back(at(state.output));
  }
  return results;
}

}  // namespace antler::pjrt
