#include "distribute/replicated_strategy.h"

#include <algorithm>
#include <vector>

#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/ops/collectives.h"
#include "antler/ops/numpy/elementwise.h"
#include "data/worker_rows.h"
#include "distribute/replica_merge.h"
#include "distribute/worker_batch.h"

namespace antler::distribute {
namespace {

int64_t rows_of(const Nest& arguments) {
  for (const Tensor& leaf : arguments.flatten()) {
    if (leaf.defined() && leaf.rank() > 0) return leaf.dim(0);
  }
  return 0;
}

/// The variables as seen by one replica. Combines its assignments with those of the others.
class ReplicaVariables final : public VariableScope {
 public:
  ReplicaVariables(VariableScope& inner, int64_t replica, const RunOptions& options)
      : inner_(inner), replica_(replica), options_(options), previous_(set_variable_scope(this)) {}
  ~ReplicaVariables() override { set_variable_scope(previous_); }

  Tensor read(const Variable& variable) override {
    const Tensor value = inner_.read(variable);
    return has_own_key(variable) ? ops::add(value, key_shift()) : value;
  }

  void write(const Variable& variable, const Tensor& value) override {
    if (has_own_key(variable)) {
      inner_.write(variable, ops::subtract(value, key_shift()));
    } else if (variable.trainable() || !is_floating(variable.dtype())) {
      inner_.write(variable, value);
    } else if (options_.accumulates && options_.accumulates(variable)) {
      const Tensor before = inner_.read(variable);
      inner_.write(variable, ops::add(before, ops::all_reduce(ops::subtract(value, before))));
    } else {
      inner_.write(variable, ops::all_reduce(value, ops::ReduceOp::mean));
    }
  }

 private:
  /// A seed {key, count} has another key in each replica.
  bool has_own_key(const Variable& variable) const { return replica_ != 0 && is_seed(variable); }
  Tensor key_shift() const {
    return Tensor::of<uint32_t>({static_cast<uint32_t>(replica_) * 0x9e3779b9U, 0});
  }

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

}  // namespace

void ReplicatedStrategy::on_create(const std::string&, Tensor& initial) const {
  if (workers_ == nullptr) return;
  workers_->broadcast({static_cast<std::byte*>(initial.mutable_data()), initial.bytes()}, 0);
}

int64_t ReplicatedStrategy::active_replicas(int64_t global_rows) const {
  int64_t active = 0;
  for (int64_t w = 0; w < worker_count(); ++w) {
    const int64_t rows = data::rows_of_worker(global_rows, w, worker_count());
    const int64_t share = (rows + local_ - 1) / local_;
    if (share > 0) active += (rows + share - 1) / share;
  }
  return active;
}

PerReplica ReplicatedStrategy::run(const ReplicaFunction& function, const PerReplica& arguments,
                                   const RunOptions& options) const {
  const WorkerBatch batch = workers_ == nullptr ? WorkerBatch() : worker_batch();
  int64_t local_rows = 0;
  int64_t local_active = 0;
  for (const Nest& part : arguments) {
    if (part.is_none()) continue;
    local_rows += rows_of(part);
    ++local_active;
  }
  const bool is_known = batch.global_rows > 0;
  const int64_t rows = is_known ? batch.global_rows : local_rows * worker_count();
  const int64_t active =
      std::max<int64_t>(is_known ? active_replicas(rows) : local_active * worker_count(), 1);
  // Workers exchange values even if only one replica has rows.
  const ops::ReplicaScope collectives(worker_count() > 1 ? std::max<int64_t>(active, 2) : active);
  std::vector<ReplicaTrace> traces;
  for (size_t r = 0; r < arguments.size(); ++r) {
    if (arguments[r].is_none()) continue;
    double share = 1.0 / static_cast<double>(active);
    if (batch.is_empty) {
      share = 0;
    } else if (rows > 0) {
      share = static_cast<double>(rows_of(arguments[r])) / static_cast<double>(rows);
    }
    const ReplicaContext context{first_replica() + static_cast<int64_t>(r), replicas(), share};
    traces.push_back(trace_replica(function, arguments[r], context, options));
  }
  const PerReplica merged =
      merge_replicas(traces, {.rank = workers_ == nullptr ? 0 : workers_->rank(),
                              .workers = worker_count(),
                              .active_replicas = active,
                              .is_empty = batch.is_empty});
  PerReplica results;
  size_t next = 0;
  for (const Nest& part : arguments) results.push_back(part.is_none() ? Nest() : merged[next++]);
  return results;
}

}  // namespace antler::distribute
