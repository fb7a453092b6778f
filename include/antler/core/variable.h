#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "antler/core/keyword.h"
#include "antler/core/tensor.h"

namespace antler {

/// When the replicas of a distribution strategy agree on the value of a variable.
enum class VariableSynchronization : uint8_t {
  automatic,  ///< the strategy decides: on_write
  none,       ///< one copy for all; strategies with several replicas refuse it
  on_write,   ///< every replica has the same value at all times
  on_read,    ///< every replica has its own value; reads outside of replicas combine them
};

/// How the values that the replicas assign to a variable are combined.
enum class VariableAggregation : uint8_t {
  none,                ///< replicas must not assign it; optimizers do so together
  sum,                 ///< the sum of the replicas' values
  mean,                ///< their mean
  only_first_replica,  ///< the value of replica 0
};

/// Options of a Variable.
struct VariableOptions {
  std::string name = "variable";
  bool trainable = true;
  /// Throws ValueError for a trainable variable with VariableSynchronization::on_read.
  VariableSynchronization synchronization = VariableSynchronization::automatic;
  /// How the updates of the replicas of a distribution strategy are combined.
  VariableAggregation aggregation = VariableAggregation::none;
};

struct VariableImpl;
class DeviceValue;
class VariableShards;

/// Mutable state: a weight, an optimizer slot, a metric total, a random counter. A handle; copies
/// share the state. Reading while a function is traced adds the variable to the function's state;
/// assigning makes the function return the new value, written in place when it runs.
class Variable {
 public:
  Variable() = default;
  /// Starts with a copy of `initial`, which must be a value.
  explicit Variable(const Tensor& initial, VariableOptions options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(Variable, VariableOptions, const Tensor&)

  bool defined() const { return impl_ != nullptr; }
  DType dtype() const;
  const Shape& shape() const;
  int64_t size() const { return shape().num_elements(); }  ///< number of elements
  const std::string& name() const;
  void set_name(std::string name);
  /// Slash-separated path of owners, Keras's `variable.path`; equals name() until an owner sets it.
  const std::string& path() const;
  void set_path(std::string path);
  bool trainable() const;
  void set_trainable(bool trainable);
  uint64_t id() const;
  VariableSynchronization synchronization() const;
  VariableAggregation aggregation() const;
  /// Maps the value to a penalty, Keras's `variable.regularizer`: layers add it to their losses.
  /// Empty for none.
  using ValueFunction = std::function<Tensor(const Tensor&)>;
  const ValueFunction& regularizer() const;
  void set_regularizer(ValueFunction regularizer);
  /// Maps the value to one that is allowed, Keras's `variable.constraint`: optimizers apply it
  /// after each update. Empty for none.
  const ValueFunction& constraint() const;
  void set_constraint(ValueFunction constraint);

  /// The current value (symbolic while tracing). A value that was read does not change with the
  /// variable.
  Tensor value() const;
  operator Tensor() const {
    return value();
  }  // NOLINT(google-explicit-constructor): a variable is used as a tensor
  /// The number in a variable of one element: `int(optimizer.iterations())`.
  template <class T>
  requires(std::integral<T> || std::floating_point<T>) explicit operator T() const {
    return static_cast<T>(value());
  }

  /// Part of the value: see Tensor's index.
  Tensor operator[](const Index& index) const { return value()[index]; }
  Tensor operator[](std::initializer_list<Index> indices) const { return value()[indices]; }

  /// Sets the value. Throws ValueError for another shape and TypeError for another dtype; C++
  /// numbers are converted.
  void assign(const Tensor& value) const;
  /// Adds to the value, or subtracts from it; `value` broadcasts. Implemented in ops, like
  /// indexing. Outside of replicas, throw ValueError for a variable whose values are summed on
  /// reads, because it is not defined which of them changes.
  void assign_add(const Tensor& value) const;
  void assign_sub(const Tensor& value) const;

  /// The stored value, never symbolic. For runtimes, savers and tests.
  Tensor stored() const;
  /// Replaces the stored value, never symbolic.
  void store(const Tensor& value) const;
  /// The memory in which a running program updates the variable. If a value that was read shares
  /// it, it is copied first.
  void* exclusive_data() const;
  /// Tells the strategy that the memory of exclusive_data() was written, so that it sends the value
  /// to the process that keeps it. Nothing happens without such a strategy.
  void publish() const;
  /// Increases with every store() and exclusive_data(), so that caches notice when the value may
  /// have changed.
  uint64_t version() const;

  /// The parts that hold its elements if it is divided over devices, else null; see
  /// variable_shards.h.
  const VariableShards* shards() const;
  /// For divide(): lets `shards` hold the elements from now on.
  void set_shards(std::shared_ptr<const VariableShards> shards) const;

  /// Whether both name the same variable.
  friend bool operator==(const Variable& a, const Variable& b) { return a.impl_ == b.impl_; }
  /// Writes path, shape, dtype and value.
  friend std::ostream& operator<<(std::ostream& out, const Variable& variable);

 private:
  friend Tensor local_copy(const Variable& variable);
  friend void* local_memory(const Variable& variable);
  friend std::shared_ptr<DeviceValue> device_value(const Variable& variable);
  friend void set_device_value(const Variable& variable, std::shared_ptr<DeviceValue> value,
                               bool is_newer);
  void* own_memory() const;
  /// Joins the current distribution strategy.
  void register_with_origin();

  std::shared_ptr<VariableImpl> impl_;
};

using Variables = std::vector<Variable>;

/// Intercepts reads and writes of variables; the graph tracer implements it.
class VariableScope {
 public:
  virtual ~VariableScope() = default;
  /// The symbolic value of `variable` inside this scope.
  virtual Tensor read(const Variable& variable) = 0;
  /// Later reads return `value`.
  virtual void write(const Variable& variable, const Tensor& value) = 0;
};

/// The innermost scope of this thread; null outside of tracing.
VariableScope* current_variable_scope();
/// Sets the innermost scope; returns the previous one.
VariableScope* set_variable_scope(VariableScope* scope);

/// Intercepts the creation of variables on this thread (TensorFlow's variable_creator_scope).
class VariableCreator {
 public:
  virtual ~VariableCreator() = default;
  /// A variable to use instead of a new one; undefined for none.
  virtual Variable existing(const Tensor& initial, const VariableOptions& options) = 0;
  virtual void created(const Variable& variable) = 0;
};
/// Sets the creator of this thread, null for none; returns the previous one.
VariableCreator* set_variable_creator(VariableCreator* creator);
/// Sets the creator for its lifetime.
class VariableCreatorScope {
 public:
  explicit VariableCreatorScope(VariableCreator* creator)
      : previous_(set_variable_creator(creator)) {}
  ~VariableCreatorScope() { set_variable_creator(previous_); }
  VariableCreatorScope(const VariableCreatorScope&) = delete;
  VariableCreatorScope& operator=(const VariableCreatorScope&) = delete;

 private:
  VariableCreator* previous_;
};

/// Is notified of every read on this thread. Gradient tapes are observers.
class VariableReadObserver {
 public:
  virtual ~VariableReadObserver() = default;
  virtual void on_read(const Variable& variable, const Tensor& value) = 0;
};
void add_read_observer(VariableReadObserver* observer);
void remove_read_observer(VariableReadObserver* observer);

/// Hides reads on this thread from the current observers during its lifetime.
class ReadObserverSuspension {
 public:
  ReadObserverSuspension();
  ~ReadObserverSuspension();
  ReadObserverSuspension(const ReadObserverSuspension&) = delete;
  ReadObserverSuspension& operator=(const ReadObserverSuspension&) = delete;

 private:
  friend void remove_read_observer(VariableReadObserver* observer);
  std::vector<VariableReadObserver*> hidden_;
  ReadObserverSuspension* previous_;
};

}  // namespace antler
