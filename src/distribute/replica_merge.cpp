#include "distribute/replica_merge.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "antler/base/error.h"
#include "antler/ir/emit.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/creation.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/numpy/manipulation.h"
#include "antler/ops/worker_collectives.h"
#include "ops/control_flow/body.h"
#include "ops/reduce_names.h"
#include "ops/support.h"

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

/// Combines the values of a collective, one per replica of this process.
class Combiner {
 public:
  explicit Combiner(const WorkerPlace& place) : place_(place) {}

  /// The results, one per replica. `varies`: whether the values differ between workers.
  Tensors operator()(const ir::Node& node, const Tensors& values, bool varies) const {
    const size_t count = values.size();
    if (node.op == &ops::kAllGather) {
      const int64_t axis = node.attrs.integer("axis");
      return Tensors(count, gather_workers(ops::concatenate(values, axis), axis));
    }
    if (node.op == &ops::kReduceScatter) return scatter(node.attrs.integer("axis"), values);
    const ops::ReduceOp op = ops::reduce_op(node.attrs.string("op"));
    if (op == ops::ReduceOp::mean) {
      // Values that are the same everywhere, such as slots of the optimizer, stay exact.
      if (is_one_value(values) && !varies) return values;
      const Tensor sum = reduce_workers(accumulate(values, ops::add), ops::ReduceOp::sum);
      return Tensors(count, ops::divide(sum, static_cast<double>(place_.active_replicas)));
    }
    const auto f = op == ops::ReduceOp::sum   ? ops::add
                   : op == ops::ReduceOp::max ? ops::maximum
                                              : ops::minimum;
    const Tensor own = accumulate(values, f);
    if (node.attrs.has("gradient")) return Tensors(count, sum_gradient(own));
    return Tensors(count, reduce_workers(own, op));
  }

 private:
  Tensor reduce_workers(const Tensor& x, ops::ReduceOp op) const {
    if (place_.workers == 1) return x;
    return ops::worker_all_reduce(share_of(x, op), op);
  }

  Tensor sum_gradient(const Tensor& x) const {
    if (place_.workers == 1) return x;
    return ops::worker_sum_gradient(share_of(x, ops::ReduceOp::sum), place_.messages);
  }

  /// The contribution of this worker: the identity element if it has no rows.
  Tensor share_of(const Tensor& x, ops::ReduceOp op) const {
    if (!place_.is_empty) return x;
    // A `where`, not a constant: bucketing must see the same dependencies in all workers.
    return ops::where(Tensor(false), x, ops::filled_like(identity(op, x), x));
  }

  /// The identity element of the op.
  static double identity(ops::ReduceOp op, const Tensor& x) {
    if (op == ops::ReduceOp::sum) return 0;
    if (!is_floating(x.dtype())) {
      throw NotImplementedError(
          "all_reduce: cannot take the maximum or minimum of {} arrays over workers if "
          "one of them has no data.",
          dtype_name(x.dtype()));
    }
    const double infinity = std::numeric_limits<double>::infinity();
    return op == ops::ReduceOp::max ? -infinity : infinity;
  }

  Tensor gather_workers(const Tensor& x, int64_t axis) const {
    if (place_.workers == 1) return x;
    const Tensor stacked = ops::worker_all_gather(x);
    Tensors parts;
    for (int64_t w = 0; w < place_.workers; ++w)
      parts.push_back(ops::squeeze(ops::slice_axis(stacked, 0, w, w + 1), 0));
    return ops::concatenate(parts, axis);
  }

  Tensors scatter(int64_t axis, const Tensors& values) const {
    const auto local = static_cast<int64_t>(values.size());
    const Tensor sum = reduce_workers(accumulate(values, ops::add), ops::ReduceOp::sum);
    const int64_t size = sum.dim(static_cast<int>(axis)) / (local * place_.workers);
    Tensors parts;
    for (int64_t r = 0; r < local; ++r) {
      const int64_t begin = (place_.rank * local + r) * size;
      parts.push_back(ops::slice_axis(sum, axis, begin, begin + size));
    }
    return parts;
  }

  const WorkerPlace& place_;
};

/// Marks the values of a replica's graph that depend on its data or its random numbers. Values that
/// depend only on variables and results of collectives are the same in all replicas.
std::vector<bool> varying_values(const ir::Graph& graph, size_t num_arguments) {
  std::vector<bool> varies(graph.values.size());
  const auto mark = [&](ir::ValueId v) { varies[static_cast<size_t>(v)] = true; };
  for (size_t i = 0; i < num_arguments; ++i) mark(graph.inputs[i]);
  for (const ir::StateSlot& slot : graph.states) {
    if (is_seed(slot.variable)) mark(slot.input);
  }
  for (const ir::Node& node : graph.nodes) {
    if (is_collective(node)) continue;
    const bool any = std::any_of(node.inputs.begin(), node.inputs.end(),
                                 [&](ir::ValueId v) { return varies[static_cast<size_t>(v)]; });
    if (!any) continue;
    for (const ir::ValueId v : node.outputs) mark(v);
  }
  return varies;
}

/// Emits the graphs of all replicas.
class Merger {
 public:
  Merger(const std::vector<ReplicaTrace>& traces, const WorkerPlace& place)
      : traces_(traces),
        hides_rows_(place.hides_rows),
        combine_(place),
        varies_(varying_values(traces[0].traced.graph, traces[0].arguments.size())) {
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
    const ir::OriginScope origin(node.origin);
    if (node.op == &ir::kConstant) return {constant(node.attrs.get<Tensor>("value"))};
    if (!node.regions.empty()) return ir::emit(*node.op, inputs, node.attrs, node.regions);
    std::string key = format("{}({})", node.op->name, node.attrs.key());
    for (const Tensor& t : inputs) {
      key += format(",{}", reinterpret_cast<uintptr_t>(t.impl().get()));
    }
    const auto [it, fresh] = emitted_.try_emplace(std::move(key));
    if (fresh) {
      kept_.insert(kept_.end(), inputs.begin(),
                   inputs.end());  // kept alive, so that the addresses in the key stay unique
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
      throw ValueError("Replicas must combine values of the same shape. Received shapes {} and {}.",
                       values[0].shape(), values.back().shape());
    }
    const bool varies = varies_[static_cast<size_t>(first.inputs[0])];
    const Tensors results = combine_(first, values, varies);
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
      if (!t.defined()) return Tensor();
      const ir::ValueId output = graph.outputs[next++];
      const Tensor& value = at(replicas_[r], output);
      return hides_rows_ && varies_[static_cast<size_t>(output)] ? of_no_rows(value) : value;
    });
  }

  /// The result for no rows, given the result for one row.
  static Tensor of_no_rows(const Tensor& value) {
    Shape shape = value.shape();
    if (shape.rank() > 0 && shape[0] == 1) shape[0] = 0;
    return ops::zeros(shape, value.dtype());
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
  bool hides_rows_;
  Combiner combine_;
  std::vector<bool> varies_;  // by value of the first graph
  std::vector<Replica> replicas_;
  std::unordered_map<std::string, Tensors> emitted_;
  std::unordered_map<std::string, Tensor> constants_;
  Tensors kept_;
};

}  // namespace

bool is_seed(const Variable& variable) {
  return variable.dtype() == DType::uint32 && variable.shape() == Shape{2};
}

PerReplica merge_replicas(const std::vector<ReplicaTrace>& traces, const WorkerPlace& place) {
  return traces.empty() ? PerReplica() : Merger(traces, place).run();
}

}  // namespace antler::distribute
