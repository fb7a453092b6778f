#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/nest.h"
#include "antler/core/variable.h"
#include "antler/core/variable_origin.h"
#include "antler/data/input_context.h"
#include "antler/distribute/input_options.h"
#include "antler/distribute/replica_context.h"

namespace antler::data {
class Dataset;
}

namespace antler::ops {
class Communicator;
}

/// Distributes a computation over replicas: TensorFlow's `tf.distribute`.
namespace antler::distribute {

/// The function that each replica runs.
using ReplicaFunction = std::function<Nest(const Nest& arguments)>;

/// How rows count if a global batch cannot be divided evenly among the replicas.
enum class UnevenBatches : uint8_t {
  exact,       ///< every row counts the same, as on one device
  tensorflow,  ///< the mean of the replicas' means, as in TensorFlow; a replica without rows gives
               ///< 0
};

/// Options of run().
struct RunOptions {
  /// Whether the updates that replicas make to a variable are summed at once, so that every replica
  /// reads the sum. For metrics whose results are logged at each step.
  std::function<bool(const Variable& variable)> accumulates = {};
};

/// Tells a function which replica it creates a value for.
struct ValueContext {
  int64_t replica_id_in_sync_group = 0;
  int64_t num_replicas_in_sync = 1;
};

class DistributedDataset;
class StrategyImpl;
class StrategyScope;

/// A handle: copies refer to the same strategy. The default strategy has one replica and does
/// nothing.
class Strategy {
 public:
  Strategy();
  explicit Strategy(std::shared_ptr<const StrategyImpl> impl) : impl_(std::move(impl)) {}

  int64_t num_replicas_in_sync() const;
  /// Makes this the current strategy for the lifetime of the result: `auto scope =
  /// strategy.scope();`. Models keep the strategy in whose scope they were created. Throws
  /// RuntimeError inside of the scope of another strategy.
  StrategyScope scope() const;
  /// Calls `function` in this scope for each replica with its arguments. Replicas are connected by
  /// collectives and by updates of variables. Works eagerly and in traced functions.
  ///
  /// Assignments of replicas to a variable that was created in this scope are combined as its
  /// synchronization and aggregation say: on_write variables get the sum, the mean or replica 0's
  /// value; on_read variables have one value per replica, which reads outside of replicas combine.
  /// A missing aggregation is a ValueError. Variables created elsewhere get replica 0's value.
  /// Random numbers differ between replicas.
  ///
  /// A replica without rows does not run; its result is an undefined leaf. If a whole worker has no
  /// rows, its first replica runs on a row of zeros, which does not count in collectives and
  /// updates. Results that depend on this row are zeros, or have no rows if they had one. Throws
  /// ValueError unless there is one argument per replica of this process, and RuntimeError for a
  /// nested call.
  PerReplica run(const ReplicaFunction& function, const PerReplica& arguments,
                 const RunOptions& options = {}) const;
  /// Splits the rows of a global batch into one part per replica: each takes ceil(rows / replicas)
  /// rows, the last ones what is left, which may be nothing. Leaves without rows, such as scalars,
  /// go whole to every replica that has rows, or to all if no leaf has rows.
  PerReplica split(const Nest& batch) const;
  /// Reduces the values of all replicas of all workers, who must all call it, leaf by leaf. With an
  /// `axis`, also reduces along it; a mean is then over all entries of all replicas. Replicas
  /// without a value or without data are ignored. Throws TypeError for an op that is neither sum
  /// nor mean, ValueError for an axis that a value does not have, and for a worker without a value.
  Nest reduce(ReduceOp op, const PerReplica& values, std::optional<int64_t> axis = {}) const;
  Nest reduce(const std::string& op, const PerReplica& values,
              std::optional<int64_t> axis = {}) const;
  /// A value that is the same on all replicas.
  Nest reduce(ReduceOp op, const Nest& value, std::optional<int64_t> axis = {}) const;
  Nest reduce(const std::string& op, const Nest& value, std::optional<int64_t> axis = {}) const;
  /// Concatenates the values of all replicas of all workers, who must all call it, along `axis`,
  /// leaf by leaf. Sizes along it may differ; in a traced function, those of the workers must be
  /// equal. Throws ValueError for an axis that a value does not have, and for a worker without a
  /// value.
  Nest gather(const PerReplica& values, int64_t axis = 0) const;
  /// The values of the replicas of this process, which is all of `values`.
  const PerReplica& experimental_local_results(const PerReplica& values) const { return values; }
  PerReplica experimental_local_results(const Nest& value) const { return {value}; }
  /// The values that `function` creates for the replicas of this process, in order.
  PerReplica experimental_distribute_values_from_function(
      const std::function<Nest(const ValueContext& context)>& function) const;
  /// Splits each batch of the data set, which is a global batch, into one part per replica; see
  /// split(). If there are several workers, each reads the part that the options of the data set
  /// give it (data::AutoShardPolicy). Throws NotImplementedError for
  /// InputReplicationMode::per_replica, and what data::resolved_policy() throws.
  DistributedDataset experimental_distribute_dataset(const data::Dataset& dataset,
                                                     const InputOptions& options = {}) const;
  /// The data set that `function` returns, whose batches are for one replica each: each step takes
  /// the next batch for each replica or, with InputReplicationMode::per_replica, one from each
  /// replica's own data set. Throws TypeError for an empty function.
  DistributedDataset distribute_datasets_from_function(
      const std::function<data::Dataset(const data::InputContext& context)>& function,
      const InputOptions& options = {}) const;
  /// The context that is passed to a function that creates this process's data.
  data::InputContext input_context() const;
  /// The group of processes that train together; null if this process trains alone.
  ops::Communicator* workers() const;
  /// Whether this process writes the files of a training run: true for worker 0, and for a process
  /// that trains alone.
  bool is_chief() const;
  /// Whether `variable` was created in the scope of this strategy; for the default strategy,
  /// outside of any scope.
  bool variable_created_in_scope(const Variable& variable) const;

  /// For the library's own components.
  const std::shared_ptr<const StrategyImpl>& implementation() const { return impl_; }

  friend bool operator==(const Strategy& a, const Strategy& b) { return a.impl_ == b.impl_; }

 private:
  friend class StrategyScope;
  friend void experimental_set_strategy(const Strategy& strategy);
  /// Marks variables that are created in its scope; null for the default strategy.
  VariableOrigin origin() const;
  std::shared_ptr<const StrategyImpl> impl_;
};

/// The strategy of the current scope, or the default strategy.
Strategy get_strategy();
/// Whether the current strategy is another than the default one.
bool has_strategy();
/// Makes `strategy` the current one of this thread from now on, without a scope. Throws
/// RuntimeError inside of a scope.
void experimental_set_strategy(const Strategy& strategy);

/// Combines the results of the replicas leaf by leaf: "first" takes that of replica 0, "sum" (and
/// "auto") adds, "concat" concatenates along axis 0 and stacks scalars. Unless "concat" is given, a
/// value that all replicas share, such as the result of a metric, is returned unchanged. Throws
/// ValueError for another reduction.
Nest reduce_per_replica(const PerReplica& values, const Strategy& strategy,
                        const std::string& reduction);
/// Throws ValueError for an unknown reduction.
void check_reduction(const std::string& reduction);

/// Makes a strategy the current one of this thread for its lifetime.
class StrategyScope {
 public:
  explicit StrategyScope(Strategy strategy);
  ~StrategyScope();
  StrategyScope(const StrategyScope&) = delete;
  StrategyScope& operator=(const StrategyScope&) = delete;

 private:
  std::optional<Strategy> previous_;
  std::optional<VariableOriginScope> origin_;
};

}  // namespace antler::distribute
