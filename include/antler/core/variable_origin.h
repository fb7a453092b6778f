#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "antler/core/variable.h"

namespace antler {

/// The hooks of a distribution strategy for variables that are created in its scope.
class VariableDistributor {
 public:
  virtual ~VariableDistributor() = default;
  /// Number of replicas that run together.
  virtual int64_t replicas() const = 0;
  /// Called for each new variable. Throws ValueError for options that it does not support.
  virtual void check(const VariableOptions& options) const = 0;
  /// Called with the value that a new variable starts from, which may be changed in place.
  virtual void initialize(Tensor& /*value*/) const {}
  /// Called for each new weight of a layer, whose path is set; may divide it over devices.
  virtual void place(const Variable& /*variable*/) const {}
  /// Called for the outputs of each layer in a traced function; may determine how devices divide
  /// them.
  virtual Tensor place_output(const std::string& /*path*/, const Tensor& output) const {
    return output;
  }
  /// Called after each assignment to a variable with VariableSynchronization::on_read.
  virtual void assigned(const Variable& variable, const Tensor& value) const = 0;
  /// The combined change that all replicas apply if this replica adds `change`; undefined if they
  /// do not combine changes. Throws ValueError if there is no defined value to add to.
  virtual Tensor joint_change(const Variable& variable, const Tensor& change) const = 0;

  /// Whether other processes hold the values of its variables. The memory of a variable is then a
  /// copy: refresh() updates it before a read, publish() sends it after a write.
  virtual bool is_remote() const { return false; }
  /// Called once per variable, with its initial value. The variable is stored in the process of
  /// `colocated`, or in any process if that is undefined.
  virtual void created(const Variable& /*variable*/, const Variable& /*colocated*/) const {}
  /// Called for each new model. In Keras a model has variables that count its steps, which must be
  /// accounted for where variables are assigned to processes in turn.
  virtual void model_created() const {}
  virtual void refresh(const Variable& /*variable*/) const {}
  virtual void publish(const Variable& /*variable*/) const {}
  /// Called when the last handle of a variable is destroyed.
  virtual void destroyed(uint64_t /*id*/) const {}
};

/// The distribution strategy in whose scope a variable was created; null outside of any scope.
using VariableOrigin = std::shared_ptr<const VariableDistributor>;

/// The origin of `variable`.
VariableOrigin variable_origin(const Variable& variable);
/// Sets the origin of variables that this thread creates from now on; returns the previous one.
VariableOrigin set_variable_origin(VariableOrigin origin);

/// Sets the origin for its lifetime.
class VariableOriginScope {
 public:
  explicit VariableOriginScope(VariableOrigin origin)
      : previous_(set_variable_origin(std::move(origin))) {}
  ~VariableOriginScope() { set_variable_origin(std::move(previous_)); }
  VariableOriginScope(const VariableOriginScope&) = delete;
  VariableOriginScope& operator=(const VariableOriginScope&) = delete;

 private:
  VariableOrigin previous_;
};

/// The origin that new variables of this thread get.
const VariableOrigin& current_variable_origin();

/// The local copy of a variable that another process holds, without refreshing it.
Tensor local_copy(const Variable& variable);
/// The memory of the local copy, for writing a refreshed value. It is replaced first if a value
/// that was read shares it.
void* local_memory(const Variable& variable);

/// During its lifetime, variables that this thread creates are stored in the process of `variable`,
/// as an optimizer's slots are (TensorFlow's `colocate_vars_with`).
class ColocateVariables {
 public:
  explicit ColocateVariables(const Variable& variable);
  ~ColocateVariables();
  ColocateVariables(const ColocateVariables&) = delete;
  ColocateVariables& operator=(const ColocateVariables&) = delete;

 private:
  Variable previous_;
};

/// The replicas' values of a variable with VariableSynchronization::on_read; empty until a replica
/// uses it.
Variables replica_copies(const Variable& variable);
/// Stores the replicas' values, which live as long as the variable. Throws ValueError for a
/// variable without origin.
void set_replica_copies(const Variable& variable, Variables copies);

/// During its lifetime, assignments of this thread in the function of a replica count once for all
/// replicas, because all compute the same value. Updates by an optimizer, whose gradients are
/// summed over the replicas, are of this kind.
class JointUpdate {
 public:
  JointUpdate();
  ~JointUpdate();
  JointUpdate(const JointUpdate&) = delete;
  JointUpdate& operator=(const JointUpdate&) = delete;
  static bool is_active();

 private:
  bool previous_;
};

}  // namespace antler
