#include "distribute/spmd_program.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ir/tracer.h"
#include "distribute/trace_difference.h"
#include "ops/control_flow/body.h"
#include "ops/spmd.h"

namespace antler::distribute {
namespace {

bool is_joint(const ir::OpDef* op) {
  return op == &ops::kAllReduce || op == &ops::kAllGather || op == &ops::kReduceScatter;
}

/// Devices whose loops end after different numbers of steps would wait for each other forever.
bool has_joint_op(const ir::Graph& graph, bool inside) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const ir::Node& node) {
    return (inside && is_joint(node.op)) ||
           std::any_of(node.regions.begin(), node.regions.end(),
                       [](const ir::GraphPtr& region) { return has_joint_op(*region, true); });
  });
}

bool has_parts_of_one_size(const std::vector<ReplicaTrace>& traces) {
  return std::all_of(traces.begin(), traces.end(), [&](const ReplicaTrace& trace) {
    return std::equal(trace.arguments.begin(), trace.arguments.end(), traces[0].arguments.begin(),
                      traces[0].arguments.end(),
                      [](const Tensor& a, const Tensor& b) { return a.spec() == b.spec(); });
  });
}

/// Builds the program from the trace of replica 0 and the differences of the others.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(const std::vector<ReplicaTrace>& traces)
      : traces_(traces),
        from_(traces[0].traced.graph),
        map_(from_.values.size(), -1),
        varies_(from_.values.size()),
        body_(std::make_shared<ir::Graph>()) {
    program_.per_replica.resize(traces.size());
  }

  SpmdProgram run() {
    add_inputs();
    for (const ir::Node& node : from_.nodes) add_node(node);
    add_outputs();
    program_.body = body_;
    return std::move(program_);
  }

 private:
  struct Source {
    ir::ValueId value;
    Tensors of_replicas;
  };

  static Tensor input_of(const ReplicaTrace& trace, size_t i) {
    const size_t arguments = trace.arguments.size();
    return i < arguments ? trace.arguments[i] : trace.traced.captures[i - arguments];
  }

  void add_inputs() {
    std::vector<Source> shared;
    for (size_t i = 0; i < from_.inputs.size(); ++i) {
      Source source{from_.inputs[i], {}};
      for (const ReplicaTrace& trace : traces_) source.of_replicas.push_back(input_of(trace, i));
      const Tensors& tensors = source.of_replicas;
      if (std::all_of(tensors.begin(), tensors.end(),
                      [&](const Tensor& t) { return t.impl() == tensors[0].impl(); })) {
        shared.push_back(std::move(source));
      } else {
        add_varying(source);
      }
    }
    for (size_t i = 0; i < from_.nodes.size(); ++i) {
      if (from_.nodes[i].op != &ir::kConstant) continue;
      Source source{from_.nodes[i].outputs[0], {}};
      for (const ReplicaTrace& trace : traces_)
        source.of_replicas.push_back(trace.traced.graph.nodes[i].attrs.get<Tensor>("value"));
      const Tensors& literals = source.of_replicas;
      if (!std::all_of(literals.begin(), literals.end(),
                       [&](const Tensor& t) { return is_same_literal(t, literals[0]); }))
        add_varying(source);
    }
    for (const Source& source : shared) {
      add_input(source.value);
      program_.shared.push_back(source.of_replicas[0]);
    }
  }

  void add_varying(const Source& source) {
    add_input(source.value);
    varies_[static_cast<size_t>(source.value)] = true;
    for (size_t r = 0; r < traces_.size(); ++r)
      program_.per_replica[r].push_back(source.of_replicas[r]);
  }

  void add_input(ir::ValueId v) {
    at(v) = body_->add_input(from_.spec(v));
    body_->inputs.push_back(at(v));
  }

  void add_node(const ir::Node& node) {
    const ir::OriginScope origin(node.origin);
    if (node.op == &ir::kConstant && at(node.outputs[0]) >= 0) return;  // it has become an input
    const bool any = std::any_of(node.inputs.begin(), node.inputs.end(),
                                 [&](ir::ValueId v) { return varies_[static_cast<size_t>(v)]; });
    // Values that are the same everywhere, such as slots of the optimizer, stay exact.
    if (!any && node.op == &ops::kAllReduce && node.attrs.string("op") == "mean") {
      at(node.outputs[0]) = at(node.inputs[0]);
      return;
    }
    std::vector<ir::ValueId> inputs;
    for (const ir::ValueId v : node.inputs) inputs.push_back(at(v));
    std::vector<TensorSpec> specs;
    for (const ir::ValueId v : node.outputs) specs.push_back(from_.spec(v));
    const auto outputs =
        body_->add_node(*node.op, std::move(inputs), node.attrs, node.regions, std::move(specs));
    const bool varies = node.op == &ops::kReduceScatter || (any && !is_joint(node.op));
    for (size_t i = 0; i < outputs.size(); ++i) {
      at(node.outputs[i]) = outputs[i];
      varies_[static_cast<size_t>(node.outputs[i])] = varies;
    }
  }

  void add_outputs() {
    program_.outputs.resize(from_.outputs.size());
    for (const bool varying : {true, false}) {
      for (size_t i = 0; i < from_.outputs.size(); ++i) {
        const ir::ValueId v = from_.outputs[i];
        if (varies_[static_cast<size_t>(v)] != varying) continue;
        program_.outputs[i] = body_->outputs.size();
        body_->outputs.push_back(at(v));
      }
      if (varying) program_.varying_outputs = body_->outputs.size();
    }
  }

  ir::ValueId& at(ir::ValueId v) { return map_[static_cast<size_t>(v)]; }

  const std::vector<ReplicaTrace>& traces_;
  const ir::Graph& from_;
  std::vector<ir::ValueId> map_;
  std::vector<bool> varies_;  // by value of `from_`
  std::shared_ptr<ir::Graph> body_;
  SpmdProgram program_;
};

/// The program of all replicas on one device, as a graph of the node's operands.
ir::GraphPtr merge_for_one_device(const SpmdProgram& program) {
  const ir::ObserverSuspension hidden;
  ir::Tracer tracer;
  const auto inputs_like = [&](const Tensors& tensors) {
    Tensors inputs;
    for (const Tensor& t : tensors) inputs.push_back(tracer.input(t.spec()));
    return inputs;
  };
  std::vector<ReplicaTrace> traces(program.per_replica.size());
  for (size_t r = 0; r < traces.size(); ++r) {
    traces[r].arguments = inputs_like(program.per_replica[r]);
    traces[r].outputs = Tensors(program.body->outputs.size(), Tensor(false));
    traces[r].traced.graph = *program.body;
  }
  const Tensors shared = inputs_like(program.shared);
  for (ReplicaTrace& trace : traces) trace.traced.captures = shared;
  const PerReplica merged =
      merge_replicas(traces, {.active_replicas = static_cast<int64_t>(traces.size())});
  const auto varying = static_cast<std::ptrdiff_t>(program.varying_outputs);
  Tensors results;
  for (const Nest& nest : merged) {
    const Tensors values = nest.flatten();
    results.insert(results.end(), values.begin(), values.begin() + varying);
  }
  const Tensors values = merged[0].flatten();
  results.insert(results.end(), values.begin() + varying, values.end());
  ir::Tracer::Result traced = tracer.finish(results);
  if (!traced.captures.empty()) throw InternalError("merged replicas use outer values");
  return std::make_shared<const ir::Graph>(std::move(traced.graph));
}

}  // namespace

std::optional<SpmdProgram> find_spmd_program(const std::vector<ReplicaTrace>& traces,
                                             std::string& mismatch) {
  mismatch.clear();
  if (!has_parts_of_one_size(traces)) return std::nullopt;
  for (size_t r = 1; r < traces.size() && mismatch.empty(); ++r)
    mismatch = trace_difference(traces[0], traces[r]);
  if (mismatch.empty() && has_joint_op(traces[0].traced.graph, false))
    mismatch = "a collective is in the body of a loop or branch";
  if (!mismatch.empty()) return std::nullopt;
  return ProgramBuilder(traces).run();
}

PerReplica emit_spmd(const SpmdProgram& program, const std::vector<ReplicaTrace>& traces) {
  const size_t replicas = traces.size();
  Tensors operands;
  for (const Tensors& own : program.per_replica)
    operands.insert(operands.end(), own.begin(), own.end());
  operands.insert(operands.end(), program.shared.begin(), program.shared.end());
  const size_t varying = program.varying_outputs;
  const Tensors values =
      ir::emit(ops::kSpmd, operands,
               {{"replicas", static_cast<int64_t>(replicas)},
                {"varying_inputs", static_cast<int64_t>(program.per_replica[0].size())},
                {"varying_outputs", static_cast<int64_t>(varying)}},
               {program.body, merge_for_one_device(program)});
  const auto value = [&](size_t r, size_t output) {
    const size_t place = program.outputs[output];
    return values[place < varying ? r * varying + place : (replicas - 1) * varying + place];
  };
  PerReplica results;
  for (size_t r = 0; r < replicas; ++r) {
    size_t next = 0;
    results.push_back(traces[r].outputs.map(
        [&](const Tensor& t) { return t.defined() ? value(r, next++) : Tensor(); }));
  }
  for (size_t r = 0; r < replicas; ++r) {
    const Variables& assigned = traces[r].traced.assigned;
    const Variables& own = traces[r].own;
    const size_t first = program.outputs.size() - assigned.size();
    for (size_t i = 0; i < assigned.size(); ++i) {
      if (r == 0 || std::find(own.begin(), own.end(), assigned[i]) != own.end())
        Variable(assigned[i]).assign(value(r, first + i));
    }
  }
  return results;
}

}  // namespace antler::distribute
