#include "antler/distribute/mirrored_strategy.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "antler/base/error.h"
#include "antler/ir/tracer.h"
#include "antler/ops/collectives.h"
#include "distribute/devices.h"
#include "distribute/replica_merge.h"
#include "distribute/replica_variables.h"
#include "distribute/strategy_impl.h"

namespace antler::distribute {
namespace {

int64_t rows_of(const Nest& arguments) {
  for (const Tensor& leaf : arguments.flatten()) {
    if (leaf.defined() && leaf.rank() > 0) return leaf.dim(0);
  }
  return 0;
}

ReplicaTrace trace_replica(const ReplicaFunction& function, const Nest& arguments,
                           const StrategyImpl& strategy, const ReplicaContext& context,
                           const RunOptions& options, OnReadVariables& on_read) {
  const ReplicaContextScope scope(context);
  ir::Tracer tracer;
  ReplicaTrace trace;
  const Nest symbolic = arguments.map([&](const Tensor& t) {
    if (!t.defined()) return t;
    trace.arguments.push_back(t);
    return tracer.input(t.spec());
  });
  {
    const ReplicaVariables variables(tracer, strategy, context.replica_id_in_sync_group, options,
                                     on_read);
    trace.outputs = function(symbolic);
    trace.own = variables.own();
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
  MirroredImpl(int64_t replicas, UnevenBatches uneven) : replicas_(replicas), uneven_(uneven) {}
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
    OnReadVariables on_read;
    for (size_t r = 0; r < arguments.size(); ++r) {
      if (arguments[r].is_none()) continue;
      const double equal = 1.0 / static_cast<double>(active);
      ReplicaContext context = {static_cast<int64_t>(r), replicas_, equal, equal};
      if (uneven_ == UnevenBatches::tensorflow) {
        context.share = 1.0 / static_cast<double>(replicas_);
      } else if (rows > 0) {
        context.share = static_cast<double>(rows_of(arguments[r])) / static_cast<double>(rows);
        context.penalty_share = context.share;
      }
      traces.push_back(trace_replica(function, arguments[r], *this, context, options, on_read));
    }
    const MergeScope merging;
    const PerReplica merged = merge_replicas(traces);
    on_read.combine();
    PerReplica results;
    size_t next = 0;
    for (const Nest& part : arguments) results.push_back(part.is_none() ? Nest() : merged[next++]);
    return results;
  }

 private:
  int64_t replicas_;
  UnevenBatches uneven_;
};

int64_t checked(int64_t replicas) {
  if (replicas >= 1) return replicas;
  throw ValueError("MirroredStrategy: expected at least one replica. Received: {}.", replicas);
}

}  // namespace

std::shared_ptr<const StrategyImpl> replicated(int64_t replicas, UnevenBatches uneven) {
  return std::make_shared<const MirroredImpl>(replicas, uneven);
}

MirroredStrategy::MirroredStrategy(const MirroredOptions& options)
    : MirroredStrategy(int64_t{1}, options) {}

MirroredStrategy::MirroredStrategy(int64_t replicas, const MirroredOptions& options)
    : Strategy(replicated(checked(replicas), options.uneven_batches)) {
  options.cross_device_ops.check();
}

MirroredStrategy::MirroredStrategy(const std::vector<std::string>& devices,
                                   const MirroredOptions& options)
    : MirroredStrategy(distinct_devices("MirroredStrategy", devices), options) {}

}  // namespace antler::distribute
