#include "antler/distribute/mirrored_strategy.h"

#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/ops/collectives.h"
#include "antler/ops/numpy/elementwise.h"
#include "distribute/replica_merge.h"
#include "distribute/strategy_impl.h"

namespace antler::distribute {
namespace {

int64_t rows_of(const Nest& arguments) {
  for (const Tensor& leaf : arguments.flatten()) {
    if (leaf.defined() && leaf.rank() > 0) return leaf.dim(0);
  }
  return 0;
}

/// The variables as a replica sees them: what it assigns is combined with what the others do.
class ReplicaVariables final : public VariableScope {
 public:
  ReplicaVariables(VariableScope& inner, int64_t replica, const RunOptions& options)
      : inner_(inner), replica_(replica), options_(options), previous_(set_variable_scope(this)) {}
  ~ReplicaVariables() override { set_variable_scope(previous_); }

  Tensor read(const Variable& variable) override {
    const Tensor value = inner_.read(variable);
    const bool is_seed = variable.dtype() == DType::uint32 && variable.shape() == Shape{2};
    if (!is_seed || replica_ == 0) return value;
    // The state of random draws {key, count}: each replica has a key of its own.
    const auto shift = static_cast<uint32_t>(replica_) * 0x9e3779b9U;
    return ops::add(value, Tensor::of<uint32_t>({shift, 0}));
  }

  void write(const Variable& variable, const Tensor& value) override {
    if (variable.trainable() || !is_floating(variable.dtype())) {
      inner_.write(variable, value);
    } else if (options_.accumulates && options_.accumulates(variable)) {
      const Tensor before = inner_.read(variable);
      inner_.write(variable, ops::add(before, ops::all_reduce(ops::subtract(value, before))));
    } else {
      inner_.write(variable, ops::all_reduce(value, ops::ReduceOp::mean));
    }
  }

 private:
  VariableScope& inner_;
  int64_t replica_;
  const RunOptions& options_;
  VariableScope* previous_;
};

ReplicaTrace trace_replica(const ReplicaFunction& function, const Nest& arguments,
                           const ReplicaContext& context, const RunOptions& options) {
  const ReplicaContextScope scope(context);
  ir::Tracer tracer;
  ReplicaTrace trace;
  const Nest symbolic = arguments.map([&](const Tensor& t) {
    if (!t.defined()) return t;
    trace.arguments.push_back(t);
    return tracer.input(t.spec());
  });
  {
    const ReplicaVariables variables(tracer, context.replica_id, options);
    trace.outputs = function(symbolic);
  }
  Tensors leaves;
  for (const Tensor& t : trace.outputs.flatten()) {
    if (t.defined()) leaves.push_back(t);
  }
  trace.traced = tracer.finish(leaves);
  return trace;
}

class MirroredImpl final : public StrategyImpl {
 public:
  explicit MirroredImpl(int64_t replicas) : replicas_(replicas) {}
  int64_t replicas() const override { return replicas_; }

  PerReplica run(const ReplicaFunction& function, const PerReplica& arguments,
                 const RunOptions& options) const override {
    int64_t rows = 0;
    int64_t active = 0;
    for (const Nest& part : arguments) {
      if (part.is_none()) continue;
      rows += rows_of(part);
      ++active;
    }
    const ops::ReplicaScope collectives(std::max<int64_t>(active, 1));
    std::vector<ReplicaTrace> traces;
    for (size_t r = 0; r < arguments.size(); ++r) {
      if (arguments[r].is_none()) continue;
      const double share =
          rows == 0 ? 1.0 / static_cast<double>(active)
                    : static_cast<double>(rows_of(arguments[r])) / static_cast<double>(rows);
      traces.push_back(trace_replica(function, arguments[r],
                                     {static_cast<int64_t>(r), replicas_, share}, options));
    }
    const PerReplica merged = merge_replicas(traces);
    PerReplica results;
    size_t next = 0;
    for (const Nest& part : arguments) results.push_back(part.is_none() ? Nest() : merged[next++]);
    return results;
  }

 private:
  int64_t replicas_;
};

int64_t checked(int64_t replicas) {
  if (replicas >= 1) return replicas;
  throw ValueError("MirroredStrategy: expected at least one replica. Received: {}.", replicas);
}

}  // namespace

MirroredStrategy::MirroredStrategy(int64_t replicas)
    : Strategy(std::make_shared<const MirroredImpl>(checked(replicas))) {}

}  // namespace antler::distribute
