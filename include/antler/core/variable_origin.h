#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "antler/core/variable.h"

namespace antler {

/// What a distribution strategy does about the variables that are made in its scope.
class VariableDistributor {
 public:
  virtual ~VariableDistributor() = default;
  /// Number of replicas that run together.
  virtual int64_t replicas() const = 0;
  /// Called for each variable that is made. Throws ValueError for options that it does not support.
  virtual void check(const VariableOptions& options) const = 0;
  /// Called with the value that a new variable starts from, which may be changed in place.
  virtual void initialize(Tensor& /*value*/) const {}
  /// Called for each new weight of a layer, which has its path by now; may divide it over devices.
  virtual void place(const Variable& /*variable*/) const {}
  /// Called for the outputs of each layer in a traced function; may say how devices divide them.
  virtual Tensor place_output(const std::string& /*path*/, const Tensor& output) const {
    return output;
  }
  /// Called after each assignment to a variable with VariableSynchronization::on_read.
  virtual void assigned(const Variable& variable, const Tensor& value) const = 0;
  /// The change that all replicas apply together if this replica adds `change`; undefined if they
  /// do not combine changes. Throws ValueError if it is not defined what to add to.
  virtual Tensor joint_change(const Variable& variable, const Tensor& change) const = 0;

  /// Whether other processes keep the values of its variables. The memory of a variable is then a
  /// copy: refresh() updates it before a read, publish() sends it after a write.
  virtual bool is_remote() const { return false; }
  /// Called once per variable, with its initial value. `colocated` is the variable in whose process
  /// it is kept; undefined for any.
  virtual void created(const Variable& /*variable*/, const Variable& /*colocated*/) const {}
  /// Called for each new model. Keras has variables that count its steps, which take their turns
  /// where processes keep variables in turn.
  virtual void model_created() const {}
  virtual void refresh(const Variable& /*variable*/) const {}
  virtual void publish(const Variable& /*variable*/) const {}
  /// Called when the last handle of a variable is gone.
  virtual void destroyed(uint64_t /*id*/) const {}
};

/// The distribution strategy in whose scope a variable was made; null outside of any scope.
using VariableOrigin = std::shared_ptr<const VariableDistributor>;

/// The origin of `variable`.
VariableOrigin variable_origin(const Variable& variable);
/// Sets the origin of the variables that this thread makes from now on; returns the previous one.
VariableOrigin set_variable_origin(VariableOrigin origin);

/// The origin that variables of this thread get now.
const VariableOrigin& current_variable_origin();

/// The copy of a variable that other processes keep, without a question to them.
Tensor local_copy(const Variable& variable);
/// The memory of that copy, to write what they answered. It is copied first if a value that was
/// read shares it.
void* local_memory(const Variable& variable);

/// While it lives, the variables that this thread makes are kept in the process of `variable`, as
/// an optimizer's slots are (TensorFlow's `colocate_vars_with`).
class ColocateVariables {
 public:
  explicit ColocateVariables(const Variable& variable);
  ~ColocateVariables();
  ColocateVariables(const ColocateVariables&) = delete;
  ColocateVariables& operator=(const ColocateVariables&) = delete;

 private:
  Variable previous_;
};

/// The values of the replicas of a variable with VariableSynchronization::on_read; empty as long as
/// no replica has used it.
Variables replica_copies(const Variable& variable);
/// Stores them. They live as long as the variable. Throws ValueError for a variable without origin.
void set_replica_copies(const Variable& variable, Variables copies);

/// While it lives, what this thread assigns in the function of a replica is assigned by all
/// replicas together: all of them compute the same value. An update by an optimizer, whose
/// gradients are sums over the replicas, is of this kind.
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
