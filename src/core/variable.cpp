#include "antler/core/variable.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <ostream>
#include <unordered_map>
#include <utility>
#include <vector>

#include "antler/base/error.h"
#include "antler/core/device_value.h"
#include "antler/core/variable_origin.h"
#include "antler/core/variable_shards.h"

namespace antler {

namespace {

/// Data of a strategy about a variable of its scope.
struct Distribution {
  VariableOrigin origin;
  Variables copies = {};
};

/// The Distribution of each variable that has an origin, by its id; most variables have none. Never
/// destroyed: variables in static storage might outlive it.
struct Origins {
  std::mutex mutex;
  std::unordered_map<uint64_t, Distribution> of;
  static Origins& instance() {
    static auto* const origins = new Origins;
    return *origins;
  }
};

}  // namespace

struct VariableImpl {
  std::string name;
  std::string path;
  bool trainable = true;
  VariableSynchronization synchronization = VariableSynchronization::automatic;
  VariableAggregation aggregation = VariableAggregation::none;
  uint64_t id = 0;
  uint64_t version = 0;
  bool has_origin = false;
  bool is_remote = false;
  Tensor value;                                  ///< without elements if `shards` holds the value
  std::shared_ptr<DeviceValue> device;           ///< the value on a device, or null
  std::atomic<bool> is_stale = false;            ///< `device` is newer than `value`
  std::shared_ptr<const VariableShards> shards;  ///< null unless the variable is divided
  Variable::ValueFunction regularizer;
  Variable::ValueFunction constraint;

  VariableImpl() = default;
  VariableImpl(const VariableImpl&) = delete;
  VariableImpl& operator=(const VariableImpl&) = delete;
  ~VariableImpl() {
    if (!has_origin) return;
    Origins& origins = Origins::instance();
    Distribution last;  // destroyed after the lock is released
    {
      const std::lock_guard lock(origins.mutex);
      const auto found = origins.of.find(id);
      last = std::move(found->second);
      origins.of.erase(found);
    }
    if (is_remote) last.origin->destroyed(id);
  }
};

namespace {

thread_local VariableScope* t_scope = nullptr;
thread_local VariableOrigin t_origin;
thread_local VariableCreator* t_creator = nullptr;
thread_local Variable t_colocated;
thread_local bool t_is_joint = false;
thread_local std::vector<VariableReadObserver*> t_observers;
thread_local ReadObserverSuspension* t_suspension = nullptr;

/// Whether a handle besides this one refers to the value or its memory.
bool is_shared(const Tensor& t) {
  return t.impl().use_count() > 1 || t.impl()->buffer.use_count() > 1;
}

Tensor copy_of(const Tensor& t) {
  Tensor result = Tensor::empty(t.dtype(), t.shape());
  std::memcpy(result.mutable_data(), t.data(), t.bytes());
  return result;
}

/// Brings the value to the host if a program left a newer one on a device. Threads that read the
/// same variable take turns.
void fetch(VariableImpl& impl) {
  if (!impl.is_stale.load(std::memory_order_acquire)) return;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (!impl.is_stale.load(std::memory_order_relaxed)) return;
  // Into new memory: if the device fails, the value on the host stays intact.
  Tensor value = Tensor::empty(impl.value.dtype(), impl.value.shape());
  impl.device->copy_to(value.mutable_data());
  impl.value = std::move(value);
  impl.is_stale.store(false, std::memory_order_release);
}

/// Tells the strategy of a variable about an assignment.
void notify_distributor(const Variable& variable, bool has_origin, const Tensor& value) {
  if (!has_origin || variable.synchronization() != VariableSynchronization::on_read) return;
  const VariableOrigin origin = variable_origin(variable);
  if (origin != nullptr) origin->assigned(variable, value);
}

}  // namespace

VariableScope* current_variable_scope() { return t_scope; }

VariableScope* set_variable_scope(VariableScope* scope) { return std::exchange(t_scope, scope); }

VariableCreator* set_variable_creator(VariableCreator* creator) {
  return std::exchange(t_creator, creator);
}

void add_read_observer(VariableReadObserver* observer) { t_observers.push_back(observer); }

void remove_read_observer(VariableReadObserver* observer) {
  std::erase(t_observers, observer);
  // An observer that is removed while hidden must not come back.
  for (ReadObserverSuspension* s = t_suspension; s != nullptr; s = s->previous_)
    std::erase(s->hidden_, observer);
}

ReadObserverSuspension::ReadObserverSuspension()
    : hidden_(std::exchange(t_observers, {})), previous_(std::exchange(t_suspension, this)) {}

ReadObserverSuspension::~ReadObserverSuspension() {
  t_observers = std::move(hidden_);
  t_suspension = previous_;
}

Variable::Variable(const Tensor& initial, VariableOptions options)
    : impl_(std::make_shared<VariableImpl>()) {
  if (!initial.is_value()) {
    throw ValueError("Variable `{}`: the initial value must have elements. Received {}.",
                     options.name, initial);
  }
  if (options.trainable && options.synchronization == VariableSynchronization::on_read) {
    throw ValueError(
        "Variable `{}`: VariableSynchronization::on_read needs trainable = false, because the "
        "replicas' values would drift apart.",
        options.name);
  }
  if (t_creator != nullptr) {
    if (Variable existing = t_creator->existing(initial, options); existing.defined()) {
      impl_ = std::move(existing.impl_);
      return;
    }
  }
  if (t_origin != nullptr) t_origin->check(options);
  impl_->name = options.name;
  impl_->path = std::move(options.name);
  impl_->trainable = options.trainable;
  impl_->synchronization = options.synchronization;
  impl_->aggregation = options.aggregation;
  impl_->id = next_unique_id();
  impl_->value = copy_of(initial);
  if (t_origin != nullptr) register_with_origin();
  if (t_creator != nullptr) t_creator->created(*this);
}

void Variable::register_with_origin() {
  t_origin->initialize(impl_->value);
  {
    Origins& origins = Origins::instance();
    const std::lock_guard lock(origins.mutex);
    origins.of.emplace(impl_->id, Distribution{t_origin});
    impl_->has_origin = true;
  }
  impl_->is_remote = t_origin->is_remote();
  if (impl_->is_remote) t_origin->created(*this, t_colocated);
}

VariableOrigin variable_origin(const Variable& variable) {
  Origins& origins = Origins::instance();
  const std::lock_guard lock(origins.mutex);
  const auto found = origins.of.find(variable.id());
  return found == origins.of.end() ? nullptr : found->second.origin;
}

VariableOrigin set_variable_origin(VariableOrigin origin) {
  return std::exchange(t_origin, std::move(origin));
}

const VariableOrigin& current_variable_origin() { return t_origin; }

Tensor local_copy(const Variable& variable) {
  fetch(*variable.impl_);
  return variable.impl_->value;
}
void* local_memory(const Variable& variable) { return variable.own_memory(); }

std::shared_ptr<DeviceValue> device_value(const Variable& variable) {
  return variable.impl_->device;
}

void set_device_value(const Variable& variable, std::shared_ptr<DeviceValue> value, bool is_newer) {
  VariableImpl& impl = *variable.impl_;
  impl.device = std::move(value);
  impl.is_stale = is_newer;
  if (is_newer) ++impl.version;
}

ColocateVariables::ColocateVariables(const Variable& variable)
    : previous_(std::exchange(t_colocated, variable)) {}
ColocateVariables::~ColocateVariables() { t_colocated = previous_; }

Variables replica_copies(const Variable& variable) {
  Origins& origins = Origins::instance();
  const std::lock_guard lock(origins.mutex);
  const auto found = origins.of.find(variable.id());
  return found == origins.of.end() ? Variables() : found->second.copies;
}

void set_replica_copies(const Variable& variable, Variables copies) {
  Origins& origins = Origins::instance();
  const std::lock_guard lock(origins.mutex);
  const auto found = origins.of.find(variable.id());
  if (found == origins.of.end()) {
    throw ValueError("Variable `{}` was not created in the scope of a distribution strategy.",
                     variable.path());
  }
  std::swap(found->second.copies, copies);
}

JointUpdate::JointUpdate() : previous_(std::exchange(t_is_joint, true)) {}
JointUpdate::~JointUpdate() { t_is_joint = previous_; }
bool JointUpdate::is_active() { return t_is_joint; }

namespace {

/// Throws if the variable was only declared.
const std::shared_ptr<VariableImpl>& require(const std::shared_ptr<VariableImpl>& impl) {
  if (impl == nullptr) {
    throw RuntimeError(
        "This Variable has not been created yet. A custom layer creates its variables when it is "
        "built, in the object that belongs to the model: model.get_layer(name). Copies that were "
        "made before do not have them.");
  }
  return impl;
}

}  // namespace

DType Variable::dtype() const { return require(impl_)->value.dtype(); }
const Shape& Variable::shape() const { return require(impl_)->value.shape(); }
const std::string& Variable::name() const { return require(impl_)->name; }
void Variable::set_name(std::string name) { impl_->name = std::move(name); }
const std::string& Variable::path() const { return require(impl_)->path; }
void Variable::set_path(std::string path) {
  impl_->path = std::move(path);
  if (impl_->shards == nullptr) return;
  size_t i = 0;
  for (Variable part : impl_->shards->parts) part.set_path(format("{}/part_{}", impl_->path, i++));
}
bool Variable::trainable() const { return require(impl_)->trainable; }
void Variable::set_trainable(bool trainable) { impl_->trainable = trainable; }
VariableSynchronization Variable::synchronization() const { return impl_->synchronization; }
VariableAggregation Variable::aggregation() const { return impl_->aggregation; }
uint64_t Variable::id() const { return require(impl_)->id; }
const Variable::ValueFunction& Variable::regularizer() const { return impl_->regularizer; }
void Variable::set_regularizer(ValueFunction regularizer) {
  impl_->regularizer = std::move(regularizer);
}
const Variable::ValueFunction& Variable::constraint() const { return impl_->constraint; }
void Variable::set_constraint(ValueFunction constraint) {
  impl_->constraint = std::move(constraint);
}
uint64_t Variable::version() const {
  if (impl_->shards == nullptr) return impl_->version;
  uint64_t sum = 0;
  for (const Variable& part : impl_->shards->parts) sum += part.version();
  return sum;
}

const VariableShards* Variable::shards() const { return impl_->shards.get(); }

void Variable::set_shards(std::shared_ptr<const VariableShards> shards) const {
  impl_->value = Tensor::spec_only(impl_->value.spec());
  impl_->shards = std::move(shards);
}

Tensor Variable::value() const {
  const bool is_divided = require(impl_)->shards != nullptr;
  Tensor result = t_scope == nullptr ? stored()
                  : is_divided       ? impl_->shards->traced_value()
                                     : t_scope->read(*this);
  for (VariableReadObserver* observer : t_observers) observer->on_read(*this, result);
  return result;
}

void Variable::assign(const Tensor& value) const {
  if (!value.defined() || !(value.shape() == shape())) {
    throw ValueError(
        "Variable `{}`: the shape of the target variable and the shape of the assigned value must "
        "match. Expected {}. Received {}.",
        impl_->path, shape(), value.defined() ? value.shape().str() : "an undefined tensor");
  }
  if (value.is_weak() && value.is_value() && value.dtype() != dtype()) {
    assign(Tensor::full(dtype(), shape(), value.item()));
    return;
  }
  if (value.dtype() != dtype()) {
    throw TypeError("Variable `{}` has dtype {}, but the assigned value has dtype {}.", impl_->path,
                    dtype_name(dtype()), dtype_name(value.dtype()));
  }
  if (t_scope != nullptr && impl_->shards != nullptr) {
    impl_->shards->assign_traced(value);
  } else if (t_scope != nullptr) {
    t_scope->write(*this, value);
    notify_distributor(*this, impl_->has_origin, value);
  } else {
    store(value);
  }
}

Tensor Variable::stored() const {
  if (require(impl_)->shards != nullptr) {
    Tensors values;
    for (const Variable& part : impl_->shards->parts) values.push_back(part.stored());
    return value_of_parts(values, impl_->shards->sharding);
  }
  if (impl_->is_remote) variable_origin(*this)->refresh(*this);
  fetch(*impl_);
  return impl_->value;
}

void Variable::store(const Tensor& value) const {
  if (!value.is_value() || !(value.spec() == impl_->value.spec())) {
    throw ValueError("Variable `{}`: cannot store {} in a variable of shape {} and dtype {}.",
                     impl_->path, value, shape(), dtype_name(dtype()));
  }
  if (impl_->shards != nullptr) {
    const Tensors values = parts_of_value(value, impl_->shards->sharding);
    for (size_t i = 0; i < values.size(); ++i) impl_->shards->parts[i].store(values[i]);
    return;
  }
  if (value.impl() != impl_->value.impl() || impl_->is_stale) {
    impl_->is_stale = false;  // own_memory() need not fetch the value on the device
    // The old value is overwritten, so a shared one is replaced instead of copied.
    if (is_shared(impl_->value)) impl_->value = Tensor::empty(value.dtype(), value.shape());
    std::memcpy(own_memory(), value.data(), value.bytes());
  }
  publish();
  notify_distributor(*this, impl_->has_origin, value);
}

void* Variable::exclusive_data() const {
  if (impl_->shards != nullptr)
    throw InternalError("The elements of variable `{}` are those of its shards.", impl_->path);
  if (impl_->is_remote) variable_origin(*this)->refresh(*this);
  return own_memory();
}

void Variable::publish() const {
  if (!impl_->is_remote) return;
  fetch(*impl_);
  variable_origin(*this)->publish(*this);
}

void* Variable::own_memory() const {
  fetch(*impl_);
  impl_->device = nullptr;
  // The value that was read shares this TensorImpl and must not change, so the variable gets a
  // copy.
  if (is_shared(impl_->value)) impl_->value = copy_of(impl_->value);
  ++impl_->version;
  return impl_->value.mutable_data();
}

std::ostream& operator<<(std::ostream& out, const Variable& variable) {
  if (!variable.defined()) return out << "Variable(undefined)";
  return out << "Variable(path=" << variable.path() << ", " << variable.stored().str() << ")";
}

}  // namespace antler
