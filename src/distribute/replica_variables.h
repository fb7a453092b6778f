#pragma once

#include <vector>

#include "antler/core/variable.h"
#include "antler/distribute/strategy.h"

namespace antler::distribute {

class StrategyImpl;

/// The on_read variables (with one value per replica) that the replicas of a run assigned.
class OnReadVariables {
 public:
  /// The copy of `replica`, created from the variable's value on first use.
  static Variable copy(const Variable& variable, int64_t replica, int64_t replicas);
  /// Records an assignment.
  void assigned(const Variable& variable);
  /// Combines the values of all replicas, for reads outside of replicas.
  void combine(const StrategyImpl& strategy) const;

 private:
  Variables variables_;
};

/// The variables as one replica sees them. Combines its assignments with those of the others.
class ReplicaVariables final : public VariableScope {
 public:
  ReplicaVariables(VariableScope& inner, const StrategyImpl& strategy, int64_t replica,
                   const RunOptions& options, OnReadVariables& on_read);
  ~ReplicaVariables() override;
  ReplicaVariables(const ReplicaVariables&) = delete;
  ReplicaVariables& operator=(const ReplicaVariables&) = delete;

  Tensor read(const Variable& variable) override;
  void write(const Variable& variable, const Tensor& value) override;
  /// The copies that this replica used.
  const Variables& own() const { return own_; }

 private:
  bool has_own_value(const Variable& variable) const;
  /// Whether it is a seed {key, count} whose key differs between replicas.
  bool has_own_key(const Variable& variable) const;
  /// The difference between the replica's key and the variable's key; zero for replica 0, whose
  /// graph has the same nodes as the graphs of the others.
  Tensor key_shift() const;
  Variable own_copy(const Variable& variable);
  bool accumulates(const Variable& variable) const;

  VariableScope& inner_;
  const StrategyImpl& strategy_;
  int64_t replica_;
  const RunOptions& options_;
  OnReadVariables& on_read_;
  Variables own_;
  VariableScope* previous_;
};

/// During its lifetime, assignments to variables with VariableSynchronization::on_read set the
/// variable itself, not the value of a replica.
class MergeScope {
 public:
  MergeScope();
  ~MergeScope();
  MergeScope(const MergeScope&) = delete;
  MergeScope& operator=(const MergeScope&) = delete;

 private:
  bool previous_;
};

}  // namespace antler::distribute
