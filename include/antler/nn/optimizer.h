#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "antler/base/json.h"
#include "antler/core/variable.h"
#include "antler/nn/by_position.h"

namespace antler {

class GradientTape;

class LearningRateSchedule;

/// A learning rate as a function of the iteration. Abstract; users pass a LearningRateSchedule
/// handle, or an object of a custom class that derives from this and overrides `call`.
class LearningRateScheduleImpl {
 public:
  using Handle = LearningRateSchedule;
  virtual ~LearningRateScheduleImpl() = default;
  /// The rate at `step`, a scalar (or array) of any numeric dtype. Returns float32; written in ops.
  virtual Tensor call(const Tensor& step) const = 0;
  Tensor operator()(const Tensor& step) const { return call(step); }
  /// Default: the name of the class.
  virtual std::string class_name() const;
  /// Override it to make optimizers with this schedule saveable. The default throws
  /// NotImplementedError.
  virtual Json get_config() const;
};

/// A handle to a schedule. Keras's schedules are in nn/optimizers/schedules.h.
class LearningRateSchedule {
 public:
  using Handle = LearningRateSchedule;
  LearningRateSchedule() = default;
  /// An object of a custom class.
  template <std::derived_from<LearningRateScheduleImpl> S>
  LearningRateSchedule(S schedule)  // NOLINT(google-explicit-constructor)
      : impl_(std::make_shared<const S>(std::move(schedule))) {}
  /// A schedule of the library, `schedules::CosineDecay(...)`.
  template <std::derived_from<LearningRateSchedule> H>
  requires(!std::same_as<H, LearningRateSchedule>)
      LearningRateSchedule(const H& handle)  // NOLINT(google-explicit-constructor)
      : impl_(handle.impl_) {
    static_assert(
        std::same_as<decltype(&H::operator()), decltype(&LearningRateSchedule::operator())>,
        "A schedule of your own derives from LearningRateScheduleImpl, the base of what a handle "
        "holds: class MySchedule : public LearningRateScheduleImpl { Tensor call(const Tensor& "
        "step) const override; };");
  }
  explicit LearningRateSchedule(std::shared_ptr<const LearningRateScheduleImpl> impl)
      : impl_(std::move(impl)) {}
  bool defined() const { return impl_ != nullptr; }
  Tensor operator()(const Tensor& step) const { return impl_->call(step); }
  Json get_config() const;
  const LearningRateScheduleImpl& impl() const { return *impl_; }
  /// Whether both are handles to the same schedule.
  friend bool operator==(const LearningRateSchedule&, const LearningRateSchedule&) = default;

 private:
  std::shared_ptr<const LearningRateScheduleImpl> impl_;
};

/// Field type of `.learning_rate`: a number or a schedule.
class LearningRate {
 public:
  LearningRate(double value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  LearningRate(LearningRateSchedule schedule)
      : schedule_(std::move(schedule)) {}  // NOLINT(google-explicit-constructor)
  template <std::derived_from<LearningRateScheduleImpl> S>
  LearningRate(S schedule)  // NOLINT(google-explicit-constructor)
      : schedule_(std::move(schedule)) {}
  bool is_schedule() const { return schedule_.defined(); }
  double value() const { return value_; }
  const LearningRateSchedule& schedule() const { return schedule_; }
  friend bool operator==(const LearningRate&, const LearningRate&) = default;

 private:
  double value_ = 0;
  LearningRateSchedule schedule_;
};

/// Options that every optimizer has, besides its own. Concrete option structs end with these fields
/// in this order.
struct OptimizerBaseOptions {
  std::optional<double> weight_decay = {};  ///< each update subtracts rate * weight_decay * weight
  /// Limit of the norm of each gradient. At most one of the three limits may be given.
  std::optional<double> clipnorm = {};
  std::optional<double> clipvalue = {};        ///< limit of the magnitude of each element
  std::optional<double> global_clipnorm = {};  ///< limit of the norm of all gradients together
  /// Keep moving averages of the weights. fit() copies them to the weights at its end.
  bool use_ema = false;
  double ema_momentum = 0.99;  ///< in [0, 1]
  /// If given, the averages are also copied to the weights once every so many updates.
  std::optional<int64_t> ema_overwrite_frequency = {};
  /// The loss is multiplied by this factor, and the gradients are divided by it.
  std::optional<double> loss_scale_factor = {};
  /// At least 2. Each update uses the mean of this many gradients.
  std::optional<int64_t> gradient_accumulation_steps = {};
  std::string name = {};
};

struct OptimizerState;

/// Base of all optimizers. A handle: copies share iterations, learning rate and slots.
///
/// A concrete optimizer derives from OptimizerBase and overrides `build_slots`, which creates its
/// slot variables, and `update_step`, which updates one weight with ops. This class does what all
/// optimizers have in common: clipping, decay, averaging, accumulation and the iteration count.
/// Options never change; slots are part of the shared state.
class Optimizer {
 public:
  using Handle = std::shared_ptr<Optimizer>;
  virtual ~Optimizer() = default;
  const std::string& name() const;
  const std::string& class_name() const;
  /// Number of apply() calls so far, int64 scalar.
  virtual Variable iterations() const;
  /// Number of updates so far: iterations(), divided by `gradient_accumulation_steps` if given.
  virtual Tensor update_count() const;
  /// The current rate: the value of the variable, or of the schedule at `iterations`.
  virtual Tensor learning_rate() const;
  /// Throws TypeError if the rate is a schedule.
  virtual void set_learning_rate(double value);
  virtual bool has_schedule() const;
  /// Replaces the `loss_scale_factor` of the options.
  virtual void set_loss_scale_factor(std::optional<double> factor);

  /// Creates the slots. Called by apply() on first use.
  virtual void build(const Variables& variables);
  bool built() const;
  /// One update. Variables with an undefined gradient are skipped, with a warning. Throws
  /// ValueError if all gradients are undefined, and for variables that build() did not get.
  virtual void apply(const Tensors& gradients, const Variables& variables);
  /// The same under Keras's other name.
  void apply_gradients(const std::vector<std::pair<Tensor, Variable>>& pairs);
  void apply_gradients(const Tensors& gradients, const Variables& variables) {
    apply(gradients, variables);
  }
  /// The same for one variable: `apply(tape.gradient(loss, v), {v})`.
  template <std::same_as<Tensor> T>
  void apply(const T& gradient, const Variables& variables) {
    apply(Tensors{gradient}, variables);
  }
  template <std::same_as<Tensor> T>
  void apply_gradients(const T& gradient, const Variables& variables) {
    apply(Tensors{gradient}, variables);
  }
  /// Computes the gradients of `loss` with the tape, then calls apply().
  void minimize(const Tensor& loss, const Variables& variables, GradientTape& tape);
  /// The same for the loss that `compute_loss` returns, as in Keras 2.
  void minimize(const std::function<Tensor()>& compute_loss, const Variables& variables);
  /// iterations, learning rate, then the slots, in Keras's order.
  virtual Variables variables() const;
  /// Copies the averaged weights to `variables` if use_ema is set. Called at the end of fit().
  virtual void finalize_variable_values(const Variables& variables);
  /// Excludes from weight decay `variables`, and all weights whose path contains a match of one of
  /// the regular expressions `name_parts`. Throws ValueError after build().
  void exclude_from_weight_decay(const Variables& variables,
                                 const std::vector<std::string>& name_parts = {});
  /// Keras's arguments of exclude_from_weight_decay().
  struct Exclusions {
    Variables var_list = {};                  ///< these variables
    std::vector<std::string> var_names = {};  ///< regular expressions to find in paths
  };
  /// The same by name: `exclude_from_weight_decay({.var_names = {"bias"}})`.
  void exclude_from_weight_decay(const Exclusions& excluded) {
    exclude_from_weight_decay(excluded.var_list, excluded.var_names);
  }
  /// The loss, multiplied by `loss_scale_factor` if given. apply() divides the gradients by it.
  virtual Tensor scale_loss(const Tensor& loss) const;
  virtual Json get_config() const;
  virtual std::shared_ptr<Optimizer> share() const = 0;
  /// Calls share(), so that an optimizer can be passed by value where an OptimizerPtr is expected.
  // NOLINTNEXTLINE(google-explicit-constructor)
  operator std::shared_ptr<Optimizer>() const { return share(); }

 protected:
  Optimizer(std::string class_name, const LearningRate& learning_rate,
            const OptimizerBaseOptions& options);
  template <std::convertible_to<LearningRate> R>
  explicit Optimizer(const R& /*learning_rate*/) {
    static_assert(std::is_void_v<R>,
                  "An optimizer of your own derives from OptimizerBase and names itself: class "
                  "MySGD : public OptimizerBase<MySGD> { explicit MySGD(double rate) : "
                  "OptimizerBase(\"MySGD\", rate, {}) {} ... };");
  }
  Optimizer(const Optimizer&) = default;
  Optimizer& operator=(const Optimizer&) = default;
  /// Creates the slots with add_slot(), in Keras's order.
  virtual void build_slots(const Variables& variables) = 0;
  /// Updates `variable` and its slots for `gradient`. `learning_rate` has the variable's dtype.
  virtual void update_step(const Tensor& gradient, const Variable& variable,
                           const Tensor& learning_rate) = 0;
  /// A slot of the weight's shape and dtype, filled with `initial`. It is named
  /// `<weight path, "/" as "_">_<name>`.
  Variable add_slot(const Variable& reference, const std::string& name, double initial = 0.0);
  /// The same with its own shape and initial value.
  Variable add_slot_like(const Variable& reference, const std::string& name, const Tensor& initial);
  /// A slot that belongs to no weight.
  Variable add_scalar_slot(const std::string& name, double initial = 0.0,
                           DType dtype = default_float());
  /// The slot that add_slot() made. Throws InternalError if there is none.
  Variable slot(const Variable& reference, const std::string& name) const;
  Variable scalar_slot(const std::string& name) const;
  const OptimizerBaseOptions& base_options() const;
  /// The weight decay of a variable; nullopt for none.
  virtual std::optional<double> weight_decay_of(const Variable& variable) const;
  /// Called once per update, before the update_step() of the first variable.
  virtual void begin_update() {}
  /// update_count() + 1 as `dtype`: Keras's local step, 1 for the first update.
  Tensor local_step(DType dtype) const;
  /// A value that all variables of this update share, computed on first use. `key` is unique within
  /// the class.
  Tensor shared_value(const std::string& key, DType dtype,
                      const std::function<Tensor()>& compute) const;
  /// Assigns the value, converted to the dtype of the variable.
  static void assign(const Variable& variable, const Tensor& value);

 private:
  void update(const Tensors& gradients, const Variables& variables);
  void accumulate_or_update(const Tensors& gradients, const Variables& variables);
  void update_averages();
  Tensors clip(const Tensors& gradients) const;
  void decay_weights(const Variables& variables);
  std::shared_ptr<OptimizerState> state_;
};
using OptimizerPtr = std::shared_ptr<Optimizer>;

/// Gives a concrete optimizer the ability to be shared by value.
template <class Derived, class Base = Optimizer>
class OptimizerBase : public Base {
 public:
  using Base::Base;
  std::shared_ptr<Optimizer> share() const override {
    return std::make_shared<Derived>(static_cast<const Derived&>(*this));
  }
};

/// Base of the library's optimizers that are made from one options struct: keeps the options and
/// writes them after the base's configuration. The class name is that of `Derived` unless given.
///
/// The members are defined in nn/optimizers/families.h, which the optimizer's source includes.
template <class Derived, class Opts>
class OptimizerOf : public OptimizerBase<Derived> {
 public:
  using Options = Opts;
  Json get_config() const override;

 protected:
  explicit OptimizerOf(const Options& options, std::string class_name = {});
  Options options_;

 private:
  /// Set by the constructor, because only the optimizer's source knows the names of the fields.
  Json (*write_)(const Options& options);
};

namespace optimizers {
/// An optimizer by Keras's name ("adam", "SGD"), with default options. Throws ValueError for an
/// unknown name.
OptimizerPtr get(const std::string& name);
/// Converts to Keras's form, {"class_name", "config"}, and back. deserialize() throws ValueError
/// for an unknown class.
Json serialize(const Optimizer& optimizer);
OptimizerPtr deserialize(const Json& json);
}  // namespace optimizers
}  // namespace antler
