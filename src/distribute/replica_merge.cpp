#include "distribute/replica_merge.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "ops/control_flow/body.h"

namespace antler::distribute {
namespace {

bool is_collective(const ir::Node& node) {
  return node.op == &ops::kAllReduce || node.op == &ops::kAllGather ||
         node.op == &ops::kReduceScatter;
}

Tensor accumulate(const Tensors& values, Tensor (*f)(const Tensor&, const Tensor&)) {
  Tensor result = values[0];
  for (size_t i = 1; i < values.size(); ++i) result = f(result, values[i]);
  return result;
}

bool is_one_value(const Tensors& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](const Tensor& t) { return t.impl() == values[0].impl(); });
}

/// The results of a collective over `values`, one per replica.
Tensors combine(const ir::Node& node, const Tensors& values) {
  const auto count = static_cast<double>(values.size());
  if (node.op == &ops::kAllGather) {
    const Tensor all = ops::concatenate(values, node.attrs.integer("axis"));
    return Tensors(values.size(), all);
  }
  if (node.op == &ops::kReduceScatter) {
    const Tensor sum = accumulate(values, ops::add);
    const int64_t axis = node.attrs.integer("axis");
    const int64_t size = sum.dim(static_cast<int>(axis)) / static_cast<int64_t>(values.size());
    Tensors parts;
    for (size_t r = 0; r < values.size(); ++r) {
      const int64_t begin = static_cast<int64_t>(r) * size;
      parts.push_back(ops::slice_axis(sum, axis, begin, begin + size));
    }
    return parts;
  }
  const std::string& op = node.attrs.string("op");
  Tensor result = values[0];
  if (op == "sum") {
    result = accumulate(values, ops::add);
  } else if (op == "mean") {
    // Exact if all values are the same, such as slots of the optimizer.
    if (!is_one_value(values)) result = ops::divide(accumulate(values, ops::add), count);
  } else {
    result = accumulate(values, op == "max" ? ops::maximum : ops::minimum);
  }
  return Tensors(values.size(), result);
}

/// Emits the graphs of all replicas.
class Merger {
 public:
  explicit Merger(const std::vector<ReplicaTrace>& traces) : traces_(traces) {
    for (const ReplicaTrace& trace : traces_) {
      const ir::Graph& graph = trace.traced.graph;
      Replica& replica = replicas_.emplace_back();
      replica.graph = &graph;
      replica.values.resize(graph.values.size());
      for (size_t i = 0; i < graph.inputs.size(); ++i) {
        at(replica, graph.inputs[i]) = i < trace.arguments.size()
                                           ? trace.arguments[i]
                                           : trace.traced.captures[i - trace.arguments.size()];
      }
      for (const ir::StateSlot& slot : graph.states)
        at(replica, slot.input) = slot.variable.value();
    }
  }

  PerReplica run() {
    for (;;) {
      size_t waiting = 0;
      for (Replica& replica : replicas_) waiting += advance(replica) ? 1 : 0;
      if (waiting == 0) break;
      if (waiting != replicas_.size()) fail_different_collectives();
      emit_collective();
    }
    PerReplica results;
    for (size_t r = 0; r < replicas_.size(); ++r) results.push_back(outputs_of(r));
    for (size_t r = 0; r < replicas_.size(); ++r) assign_variables(r);
    return results;
  }

 private:
  struct Replica {
    const ir::Graph* graph = nullptr;
    size_t next = 0;  // the next node
    Tensors values;
  };

  static Tensor& at(Replica& replica, ir::ValueId v) {
    return replica.values[static_cast<size_t>(v)];
  }

  [[noreturn]] static void fail_different_collectives() {
    throw RuntimeError(
        "The replicas of a strategy must run the same collectives in the same order, but their "
        "functions differ.");
  }

  /// Emits nodes up to the next collective. Returns false at the end.
  bool advance(Replica& replica) {
    for (; replica.next < replica.graph->nodes.size(); ++replica.next) {
      const ir::Node& node = replica.graph->nodes[replica.next];
      if (is_collective(node)) return true;
      Tensors inputs;
      for (ir::ValueId v : node.inputs) inputs.push_back(at(replica, v));
      const Tensors outputs = emit_once(node, std::move(inputs));
      for (size_t i = 0; i < outputs.size(); ++i) at(replica, node.outputs[i]) = outputs[i];
    }
    return false;
  }

  /// The outputs of the node, or of an equal node with the same inputs that was emitted before.
  Tensors emit_once(const ir::Node& node, Tensors inputs) {
    if (node.op == &ir::kConstant) return {constant(node.attrs.get<Tensor>("value"))};
    if (!node.regions.empty()) return ir::emit(*node.op, inputs, node.attrs, node.regions);
    std::string key = format("{}({})", node.op->name, node.attrs.key());
    for (const Tensor& t : inputs) {
      key += format(",{}", reinterpret_cast<uintptr_t>(t.impl().get()));
    }
    const auto [it, fresh] = emitted_.try_emplace(std::move(key));
    if (fresh) {
      kept_.insert(kept_.end(), inputs.begin(),
                   inputs.end());  // keeps the addresses in the key unique
      it->second = ir::emit(*node.op, inputs, node.attrs, node.regions);
    }
    return it->second;
  }

  /// Small constants with equal elements are the same tensor.
  Tensor constant(const Tensor& value) {
    constexpr size_t kLargest = 1 << 12;
    if (value.bytes() > kLargest) return value;
    std::string key = dtype_name(value.dtype()) + value.shape().str();
    key += value.is_weak() ? "w" : "s";
    key.append(static_cast<const char*>(value.data()), value.bytes());
    return constants_.try_emplace(std::move(key), value).first->second;
  }

  void emit_collective() {
    const ir::Node& first = replicas_[0].graph->nodes[replicas_[0].next];
    Tensors values;
    for (Replica& replica : replicas_) {
      const ir::Node& node = replica.graph->nodes[replica.next];
      if (node.op != first.op || node.attrs.key() != first.attrs.key())
        fail_different_collectives();
      values.push_back(at(replica, node.inputs[0]));
      if (values.back().shape() == values[0].shape()) continue;
      throw ValueError(
          "The replicas of a strategy combine values of one shape. Received shapes {} and {}.",
          values[0].shape(), values.back().shape());
    }
    const Tensors results = combine(first, values);
    for (size_t r = 0; r < replicas_.size(); ++r) {
      Replica& replica = replicas_[r];
      at(replica, replica.graph->nodes[replica.next].outputs[0]) = results[r];
      ++replica.next;
    }
  }

  Nest outputs_of(size_t r) {
    const ir::Graph& graph = *replicas_[r].graph;
    size_t next = 0;
    return traces_[r].outputs.map([&](const Tensor& t) {
      return t.defined() ? at(replicas_[r], graph.outputs[next++]) : Tensor();
    });
  }

  void assign_variables(size_t r) {
    Replica& replica = replicas_[r];
    const ir::Tracer::Result& traced = traces_[r].traced;
    const Variables& own = traces_[r].own;
    const auto assign = [&](const Variable& variable, ir::ValueId value) {
      if (r == 0 || std::find(own.begin(), own.end(), variable) != own.end())
        variable.assign(at(replica, value));
    };
    const size_t first = replica.graph->outputs.size() - traced.assigned.size();
    for (size_t i = 0; i < traced.assigned.size(); ++i)
      assign(traced.assigned[i], replica.graph->outputs[first + i]);
    for (const ir::StateSlot& slot : replica.graph->states) {
      if (slot.output >= 0) assign(slot.variable, slot.output);
    }
  }

  const std::vector<ReplicaTrace>& traces_;
  std::vector<Replica> replicas_;
  std::unordered_map<std::string, Tensors> emitted_;
  std::unordered_map<std::string, Tensor> constants_;
  Tensors kept_;
};

}  // namespace

PerReplica merge_replicas(const std::vector<ReplicaTrace>& traces) {
  return traces.empty() ? PerReplica() : Merger(traces).run();
}

}  // namespace antler::distribute
