#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "antler/core/nest.h"
#include "antler/core/variable.h"

/// How a computation is spread over replicas, Keras's and TensorFlow's `tf.distribute`.
namespace antler::distribute {

/// One value for each replica.
using PerReplica = std::vector<Nest>;
/// What a replica runs.
using ReplicaFunction = std::function<Nest(const Nest& arguments)>;

enum class ReduceOp : uint8_t { sum, mean };

/// Where a replica's function finds out which replica it is.
struct ReplicaContext {
  int64_t replica_id = 0;
  int64_t num_replicas_in_sync = 1;
  /// This replica's part of the rows of the global batch; the parts of all replicas sum to 1. A
  /// mean over its rows, times this, summed over the replicas, is the mean over the global batch.
  double share = 1;
};
/// The present replica; null outside of Strategy::run() with several replicas.
const ReplicaContext* replica_context();

struct RunOptions {
  /// Whether a variable accumulates, as the states of metrics do.
  std::function<bool(const Variable& variable)> accumulates = {};
};

class StrategyImpl;
class StrategyScope;

/// A handle; copies are the same strategy. The default one has one replica and does nothing.
class Strategy {
 public:
  Strategy();
  explicit Strategy(std::shared_ptr<const StrategyImpl> impl) : impl_(std::move(impl)) {}

  int64_t num_replicas_in_sync() const;
  /// Makes this the current strategy while the result lives: `auto scope = strategy.scope();`.
  /// Models keep the strategy in whose scope they were made. Throws RuntimeError inside of another
  /// strategy's scope.
  StrategyScope scope() const;
  /// Calls `function` for each replica with its arguments; collectives and the updates of variables
  /// connect them. Works eagerly and in a traced function.
  ///
  /// What replicas assign to a variable: of a state that accumulates (see RunOptions) every
  /// replica's change counts; of other floating variables that are not trainable (statistics) the
  /// mean; else, since gradients are summed over the replicas before an optimizer sees them,
  /// replica 0's value. Random draws differ between replicas.
  ///
  /// A replica whose arguments have no rows is left out; its result is an undefined leaf. Throws
  /// ValueError for another number of arguments than of replicas, RuntimeError inside of itself.
  PerReplica run(const ReplicaFunction& function, const PerReplica& arguments,
                 const RunOptions& options = {}) const;
  /// The rows of a global batch, cut into one part for each replica: ceil(rows / replicas) each, as
  /// far as they go. Leaves without rows go to every replica.
  PerReplica split(const Nest& batch) const;
  /// Combines the values of all replicas, leaf by leaf; with an `axis`, also the entries along it
  /// (a mean is then over all entries of all replicas).
  Nest reduce(ReduceOp op, const PerReplica& values, std::optional<int64_t> axis = {}) const;
  /// Concatenates along `axis`.
  Nest gather(const PerReplica& values, int64_t axis = 0) const;
  /// The values of the replicas of this process, all of them here.
  const PerReplica& experimental_local_results(const PerReplica& values) const { return values; }
  /// Whether `variable` was made in this strategy's scope; for the default one, outside of all.
  bool variable_created_in_scope(const Variable& variable) const;

  friend bool operator==(const Strategy& a, const Strategy& b) { return a.impl_ == b.impl_; }

 private:
  friend class StrategyScope;
  std::shared_ptr<const StrategyImpl> impl_;
};

/// The strategy of the innermost scope(), else the default one.
Strategy get_strategy();
/// Whether a scope() is open.
bool has_strategy();

/// Makes the results of the replicas one, leaf by leaf: "first" takes replica 0's, "sum" adds,
/// "concat" joins along axis 0 (scalars are stacked); "auto" is "sum". What is one and the same
/// value on all replicas, as the results of metrics are, is returned as it is, except by "concat".
/// Throws ValueError for another reduction.
Nest reduce_per_replica(const PerReplica& values, const Strategy& strategy,
                        const std::string& reduction);
/// Throws ValueError unless it is one of those.
void check_reduction(const std::string& reduction);
/// A mean over a replica's rows, scaled so that the sum over the replicas is the mean over the
/// global batch: for losses of one's own, whose gradients are summed over the replicas.
Tensor scale_loss_for_distribution(const Tensor& loss);

class StrategyScope {
 public:
  explicit StrategyScope(Strategy strategy);
  ~StrategyScope();
  StrategyScope(const StrategyScope&) = delete;
  StrategyScope& operator=(const StrategyScope&) = delete;

 private:
  std::optional<Strategy> previous_;
  std::shared_ptr<const void> previous_origin_;
};

}  // namespace antler::distribute
