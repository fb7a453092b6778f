#include "distribute/replica_variables.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "antler/base/error.h"
#include "antler/core/variable_origin.h"
#include "antler/ir/tracer.h"
#include "antler/ops/collectives.h"
#include "antler/ops/core.h"
#include "antler/ops/numpy/elementwise.h"
#include "antler/ops/worker_collectives.h"
#include "distribute/replica_merge.h"
#include "distribute/strategy_impl.h"
#include "distribute/worker_batch.h"

namespace antler::distribute {
namespace {

thread_local bool t_merges = false;
thread_local bool t_combines = false;

[[noreturn]] void fail_without_aggregation(const Variable& variable) {
  throw ValueError(
      "Variable `{}` is assigned by the replicas of a strategy, and has no aggregation: create it "
      "with VariableAggregation::sum, mean or only_first_replica.",
      variable.path());
}

/// The part of `value` that a replica holds. The parts combine to `value`.
Tensor part_of(const Variable& variable, const Tensor& value, size_t replica, size_t replicas) {
  if (variable.aggregation() != VariableAggregation::sum || replicas == 1) return value;
  if (is_floating(value.dtype())) return ops::divide(value, static_cast<double>(replicas));
  // Integers cannot be divided exactly, so replica 0 holds all.
  return replica == 0 ? value : Tensor::zeros(value.dtype(), value.shape());
}

Tensor mean_of(const Tensor& value) {
  if (is_floating(value.dtype())) return ops::all_reduce(value, ReduceOp::mean);
  return ops::cast(ops::all_reduce(ops::cast(value, DType::float32), ReduceOp::mean),
                   value.dtype());
}

/// Each replica starts with the value of the variable, as in TensorFlow: the sum of the copies of a
/// variable that starts with 10 is 20.
Variables make_copies(const Variable& variable, size_t replicas) {
  const ir::TraceSuspension suspension;
  const VariableOriginScope no_origin(nullptr);
  // They are parts of an existing variable, so a creator must not count them.
  const VariableCreatorScope no_creator(nullptr);
  Variables copies;
  for (size_t r = 0; r < replicas; ++r) {
    copies.emplace_back(
        variable.stored(),
        VariableOptions{.name = format("{}/replica_{}", variable.path(), r), .trainable = false});
  }
  set_replica_copies(variable, copies);
  return copies;
}

}  // namespace

MergeScope::MergeScope() : previous_(std::exchange(t_merges, true)) {}
MergeScope::~MergeScope() { t_merges = previous_; }

Variable OnReadVariables::copy(const Variable& variable, int64_t replica, int64_t replicas) {
  Variables copies = replica_copies(variable);
  if (copies.empty()) copies = make_copies(variable, static_cast<size_t>(replicas));
  return copies[static_cast<size_t>(replica)];
}

void OnReadVariables::assigned(const Variable& variable) {
  if (std::find(variables_.begin(), variables_.end(), variable) == variables_.end())
    variables_.push_back(variable);
}

void OnReadVariables::combine(const StrategyImpl& strategy) const {
  t_combines = true;
  const auto first = static_cast<size_t>(strategy.first_replica());
  const auto end = first + static_cast<size_t>(strategy.local_replicas());
  for (const Variable& variable : variables_) {
    const Variables copies = replica_copies(variable);
    Tensor total = copies[first].value();
    if (variable.aggregation() != VariableAggregation::only_first_replica) {
      for (size_t r = first + 1; r < end; ++r) total = ops::add(total, copies[r].value());
    } else if (first > 0) {
      total = ops::subtract(total, total);
    }
    if (strategy.workers() != nullptr) total = ops::worker_all_reduce(total);
    if (variable.aggregation() == VariableAggregation::mean)
      total = ops::divide(total, static_cast<double>(copies.size()));
    variable.assign(ops::cast(total, variable.dtype()));
  }
  t_combines = false;
}

ReplicaVariables::ReplicaVariables(VariableScope& inner, const StrategyImpl& strategy,
                                   int64_t replica, const RunOptions& options,
                                   OnReadVariables& on_read)
    : inner_(inner),
      strategy_(strategy),
      replica_(replica),
      options_(options),
      on_read_(on_read),
      previous_(set_variable_scope(this)) {}

ReplicaVariables::~ReplicaVariables() { set_variable_scope(previous_); }

bool ReplicaVariables::accumulates(const Variable& variable) const {
  return options_.accumulates && options_.accumulates(variable);
}

bool ReplicaVariables::has_own_value(const Variable& variable) const {
  // A value that all replicas compute together is not a part of a value.
  if (JointUpdate::is_active() && in_replica()) return false;
  return strategy_.keeps_copies(variable) && variable_origin(variable).get() == &strategy_ &&
         !accumulates(variable);
}

Variable ReplicaVariables::own_copy(const Variable& variable) {
  if (variable.aggregation() == VariableAggregation::none) fail_without_aggregation(variable);
  Variable copy = OnReadVariables::copy(variable, replica_, strategy_.replicas());
  if (std::find(own_.begin(), own_.end(), copy) == own_.end()) own_.push_back(copy);
  return copy;
}

Tensor ReplicaVariables::read(const Variable& variable) {
  if (has_own_value(variable)) {
    if (in_replica()) return inner_.read(own_copy(variable));
    throw RuntimeError(
        "Variable `{}` has its own value on each replica; the function of merge_call() cannot read "
        "the combined value. Read it outside of Strategy.run.",
        variable.path());
  }
  const Tensor value = inner_.read(variable);
  return has_own_key(variable) ? ops::add(value, key_shift()) : value;
}

bool ReplicaVariables::has_own_key(const Variable& variable) const {
  return strategy_.replicas() > 1 && is_seed(variable);
}

Tensor ReplicaVariables::key_shift() const {
  return Tensor::of<uint32_t>({static_cast<uint32_t>(replica_) * 0x9e3779b9U, 0});
}

void ReplicaVariables::write(const Variable& variable, const Tensor& value) {
  if (has_own_value(variable)) {
    // A worker without data computes no values of replicas.
    if (!worker_batch().is_empty) inner_.write(own_copy(variable), value);
    on_read_.assigned(variable);
    return;
  }
  if (has_own_key(variable)) {
    inner_.write(variable, ops::subtract(value, key_shift()));
    return;
  }
  if (accumulates(variable)) {
    const Tensor before = inner_.read(variable);
    inner_.write(variable, ops::add(before, ops::all_reduce(ops::subtract(value, before))));
    return;
  }
  if (JointUpdate::is_active() || variable_origin(variable).get() != &strategy_) {
    inner_.write(variable, value);
    return;
  }
  switch (variable.aggregation()) {
    case VariableAggregation::none:
      fail_without_aggregation(variable);
    case VariableAggregation::sum:
      inner_.write(variable, ops::all_reduce(value, ReduceOp::sum));
      return;
    case VariableAggregation::mean:
      inner_.write(variable, mean_of(value));
      return;
    case VariableAggregation::only_first_replica:
      inner_.write(variable, value);
      return;
  }
}

void StrategyImpl::check(const VariableOptions& options) const {
  if (options.synchronization != VariableSynchronization::none) return;
  throw ValueError(
      "Variable `{}`: VariableSynchronization::none is not supported in the scope of a "
      "distribution strategy.",
      options.name);
}

bool StrategyImpl::keeps_copies(const Variable& variable) const {
  if (variable.synchronization() != VariableSynchronization::on_read) return false;
  return !joint_statistics() || variable.aggregation() != VariableAggregation::mean;
}

void StrategyImpl::assigned(const Variable& variable, const Tensor& value) const {
  if (t_combines || in_replica() || replicas() == 1 || !keeps_copies(variable)) return;
  Variables copies = replica_copies(variable);
  if (copies.empty()) {
    if (t_merges) return;
    copies = make_copies(variable, static_cast<size_t>(replicas()));
  }
  for (size_t r = 0; r < copies.size(); ++r)
    copies[r].assign(part_of(variable, value, r, copies.size()));
}

Tensor StrategyImpl::joint_change(const Variable& variable, const Tensor& change) const {
  if (replicas() == 1) return {};
  const bool on_read = variable.synchronization() == VariableSynchronization::on_read;
  const bool sum = variable.aggregation() == VariableAggregation::sum;
  if (!in_replica()) {
    if (!on_read || !sum || JointUpdate::is_active()) return {};
    throw ValueError(
        "Variable `{}`: `assign_add` and `assign_sub` are not supported outside of replicas, "
        "because it is the sum of the replicas' values. Assign the value instead.",
        variable.path());
  }
  if (on_read || !sum || JointUpdate::is_active()) return {};
  return ops::all_reduce(change, ReduceOp::sum);
}

}  // namespace antler::distribute
