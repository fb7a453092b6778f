#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/nest.h"
#include "antler/core/variable.h"

namespace antler {
class VariableCreator;
namespace ops {
class Communicator;
}
}  // namespace antler

/// Distribution of a computation over replicas: TensorFlow's `tf.distribute`.
namespace antler::distribute {

/// One value per replica.
using PerReplica = std::vector<Nest>;
/// The function that each replica runs.
using ReplicaFunction = std::function<Nest(const Nest& arguments)>;

enum class ReduceOp : uint8_t { sum, mean };

/// Tells the function of a replica which replica it is.
struct ReplicaContext {
  int64_t replica_id = 0;
  int64_t num_replicas_in_sync = 1;
  /// This replica's fraction of the rows of the global batch. Means over the rows of each replica,
  /// multiplied by this and summed over the replicas, are means over the global batch.
  double share = 1;
};
/// The current replica; null outside of Strategy::run() with several replicas.
const ReplicaContext* replica_context();

struct RunOptions {
  /// Whether a variable accumulates, like the state of a metric.
  std::function<bool(const Variable& variable)> accumulates = {};
};

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
  /// Calls `function` for each replica with its arguments. Replicas are connected by collectives
  /// and by updates of variables. Works eagerly and in traced functions.
  ///
  /// Assignments of replicas to a variable are combined. For a variable that accumulates (see
  /// RunOptions), the changes are summed. For other non-trainable floating-point variables
  /// (statistics), the values are averaged. Otherwise replica 0's value is taken: optimizers see
  /// gradients that are already summed over the replicas. Random numbers differ between replicas.
  ///
  /// A replica without rows does not run; its result is an undefined leaf. Throws ValueError unless
  /// there is one argument per replica, and RuntimeError for a nested call.
  PerReplica run(const ReplicaFunction& function, const PerReplica& arguments,
                 const RunOptions& options = {}) const;
  /// Splits the rows of a global batch into one part per replica, of ceil(rows / replicas) rows
  /// while they last. Every replica gets the leaves without rows.
  PerReplica split(const Nest& batch) const;
  /// Reduces the values of all replicas leaf by leaf. With an `axis`, also reduces along it; a mean
  /// is then over all entries of all replicas.
  Nest reduce(ReduceOp op, const PerReplica& values, std::optional<int64_t> axis = {}) const;
  /// Concatenates the values of all replicas along `axis`.
  Nest gather(const PerReplica& values, int64_t axis = 0) const;
  /// The values of the replicas of this process: here, all of them.
  const PerReplica& experimental_local_results(const PerReplica& values) const { return values; }
  /// The group of processes that train together; null if this process trains alone.
  ops::Communicator* workers() const;
  /// Whether this process writes the files of a training: worker 0, or a process that trains alone.
  bool is_chief() const;
  /// Whether `variable` was created in the scope of this strategy; for the default strategy,
  /// outside of any scope.
  bool variable_created_in_scope(const Variable& variable) const;

  friend bool operator==(const Strategy& a, const Strategy& b) { return a.impl_ == b.impl_; }

 private:
  friend class StrategyScope;
  std::shared_ptr<const StrategyImpl> impl_;
};

/// The strategy of the current scope, or the default strategy.
Strategy get_strategy();
/// Whether a scope() is open.
bool has_strategy();

/// Combines the results of the replicas leaf by leaf: "first" takes that of replica 0, "sum" (and
/// "auto") adds, "concat" concatenates along axis 0 and stacks scalars. Unless "concat" is given, a
/// value that all replicas share, such as the result of a metric, is returned unchanged. Throws
/// ValueError for another reduction.
Nest reduce_per_replica(const PerReplica& values, const Strategy& strategy,
                        const std::string& reduction);
/// Throws ValueError for an unknown reduction.
void check_reduction(const std::string& reduction);
/// Scales a mean over the rows of a replica such that the sum over the replicas is the mean over
/// the global batch. For custom losses, whose gradients are summed over the replicas.
Tensor scale_loss_for_distribution(const Tensor& loss);

class StrategyScope {
 public:
  explicit StrategyScope(Strategy strategy);
  ~StrategyScope();
  StrategyScope(const StrategyScope&) = delete;
  StrategyScope& operator=(const StrategyScope&) = delete;

 private:
  std::optional<Strategy> previous_;
  std::shared_ptr<const VariableCreator> previous_origin_;
};

}  // namespace antler::distribute
