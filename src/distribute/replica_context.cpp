#include "antler/distribute/replica_context.h"

#include <utility>

#include "antler/base/error.h"
#include "antler/core/variable_origin.h"
#include "antler/distribute/strategy.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/manipulation.h"
#include "distribute/strategy_impl.h"

namespace antler::distribute {
namespace {

thread_local const ReplicaContext* t_context = nullptr;

}  // namespace

ReplicaContextScope::ReplicaContextScope(const ReplicaContext& context)
    : context_(context), previous_(std::exchange(t_context, &context_)) {}
ReplicaContextScope::~ReplicaContextScope() { t_context = previous_; }

CrossReplicaScope::CrossReplicaScope() : previous_(std::exchange(t_context, nullptr)) {}
CrossReplicaScope::~CrossReplicaScope() { t_context = previous_; }

bool in_replica() { return t_context != nullptr; }

const ReplicaContext* get_replica_context() {
  static const ReplicaContext alone;
  return t_context != nullptr || has_strategy() ? t_context : &alone;
}

bool in_cross_replica_context() { return has_strategy() && t_context == nullptr; }

ReduceOp reduce_op(const std::string& name) {
  if (name == "SUM" || name == "sum") return ReduceOp::sum;
  if (name == "MEAN" || name == "mean") return ReduceOp::mean;
  throw TypeError("A reduction of replicas must be \"SUM\" or \"MEAN\". Received: \"{}\".", name);
}

Nest ReplicaContext::all_reduce(ReduceOp op, const Nest& value) const {
  if (op != ReduceOp::sum && op != ReduceOp::mean)
    throw TypeError("ReplicaContext.all_reduce: expected \"SUM\" or \"MEAN\".");
  return value.map([&](const Tensor& t) { return t.defined() ? ops::all_reduce(t, op) : t; });
}

Nest ReplicaContext::all_reduce(const std::string& op, const Nest& value) const {
  return all_reduce(reduce_op(op), value);
}

Nest ReplicaContext::all_gather(const Nest& value, int64_t axis) const {
  return value.map([&](const Tensor& t) {
    if (!t.defined()) return t;
    if (axis < -t.rank() || axis >= t.rank()) {
      throw ValueError(
          "ReplicaContext.all_gather: axis {} is out of range for a value of shape {}.", axis,
          t.shape());
    }
    return ops::all_gather(t, axis < 0 ? axis + t.rank() : axis);
  });
}

Nest ReplicaContext::merge_call(const MergeFunction& function, const Nest& value) const {
  // Every replica calls the function with the same values; equal work is done once.
  const int64_t replicas = ops::replica_count();
  const Nest all = value.map(
      [](const Tensor& t) { return t.defined() ? ops::all_gather(ops::expand_dims(t, 0), 0) : t; });
  PerReplica values;
  for (int64_t r = 0; r < replicas; ++r) {
    values.push_back(all.map([&](const Tensor& t) {
      return t.defined() ? ops::squeeze(ops::slice_axis(t, 0, r, r + 1), {0}) : t;
    }));
  }
  const JointUpdate together;
  const CrossReplicaScope outside;
  return function(get_strategy(), values);
}

}  // namespace antler::distribute
