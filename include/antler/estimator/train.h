#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "antler/core/tensor.h"
#include "antler/core/variable.h"
#include "antler/estimator/estimator_spec.h"

/// Optimizers and learning rates for a model_fn: tf.compat.v1.train, with the same variable names.
namespace antler::estimator::tpu {
class CrossShardOptimizer;
}

namespace antler::estimator::train {

class Optimizer;
using OptimizerPtr = std::shared_ptr<Optimizer>;

using GradientsAndVariables = std::vector<std::pair<Tensor, Variable>>;

/// Options of minimize().
struct MinimizeOptions {
  Variable global_step = {};               ///< incremented by 1 with each step; not given: none
  std::optional<Variables> var_list = {};  ///< not given: the trainable variables of the graph
};

/// Base of the optimizers, which are created and used in a model_fn. Slots are non-trainable global
/// variables, named after their variable ("dense/kernel/Adam"). Copies share the slots.
///
/// The learning rate is a number or a scalar of the trace, such as one of the schedules below.
/// Under `train_distribute`, the gradients of the replicas are averaged (summed, if the loss was
/// reduced by losses::Reduction::sum); on an accelerator system, see tpu::CrossShardOptimizer.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  /// Calls compute_gradients(), then apply_gradients().
  TrainOp minimize(const Tensor& loss, const MinimizeOptions& options = {});
  /// Gradients of the loss; undefined for variables that it does not depend on. Throws ValueError
  /// if there are no variables.
  virtual GradientsAndVariables compute_gradients(const Tensor& loss,
                                                  const std::optional<Variables>& var_list = {});
  /// Emits the updates. Throws ValueError if no gradient is defined.
  virtual TrainOp apply_gradients(const GradientsAndVariables& gradients,
                                  const Variable& global_step = {});
  const std::string& name() const { return name_; }
  virtual OptimizerPtr share() const = 0;
  /// Calls share(), so that an optimizer can be passed by value where an OptimizerPtr is expected.
  operator OptimizerPtr() const { return share(); }  // NOLINT(google-explicit-constructor)

 protected:
  Optimizer(std::string name, Tensor learning_rate);
  /// Creates the slots of a variable that has a gradient, in TensorFlow's order.
  virtual void create_slots(const Variable& /*variable*/) {}
  /// Called once per update, before and after the variables are updated.
  virtual void prepare() {}
  virtual void finish() {}
  /// Assigns the variable and its slots.
  virtual void update(const Variable& variable, const Tensor& gradient) = 0;
  /// Whether the gradient of a lookup of rows (tf.gather, an embedding) must leave the other rows
  /// unchanged. False for optimizers that do not move a weight with gradient zero, and for those
  /// that move all rows in TensorFlow, too.
  virtual bool keeps_other_rows() const { return true; }
  /// The learning rate, converted to a dtype.
  Tensor learning_rate(DType dtype) const;
  /// Creates a slot "<variable>/<name of the optimizer>" (or "..._1", "..._2"), filled with
  /// `initial`.
  void add_slot(const Variable& variable, const std::string& key, double initial = 0);
  Variable slot(const Variable& variable, const std::string& key) const;
  /// Creates a float scalar that belongs to no variable.
  void add_scalar(const std::string& name, double initial);
  Variable scalar(const std::string& name) const;

 private:
  friend class tpu::CrossShardOptimizer;
  /// Emits the updates for gradients that are already combined over the replicas.
  TrainOp apply_joint_gradients(const GradientsAndVariables& gradients,
                                const Variable& global_step);
  /// update() for only the rows that have a gradient.
  void update_rows(const Variable& variable, const Tensor& gradient);
  struct State;
  State& state() const;
  std::string name_;
  Tensor learning_rate_;
  std::shared_ptr<State> state_;
};

/// Gives a concrete optimizer the ability to be shared by value.
template <class Derived>
class OptimizerBase : public Optimizer {
 public:
  using Optimizer::Optimizer;
  OptimizerPtr share() const override {
    return std::make_shared<Derived>(static_cast<const Derived&>(*this));
  }
};

/// Options of GradientDescentOptimizer.
struct GradientDescentOptions {
  std::string name = "GradientDescent";
};
/// w -= rate * g.
class GradientDescentOptimizer final : public OptimizerBase<GradientDescentOptimizer> {
 public:
  explicit GradientDescentOptimizer(const Tensor& learning_rate,
                                    const GradientDescentOptions& options = {});

 private:
  void update(const Variable& variable, const Tensor& gradient) override;
  bool keeps_other_rows() const override { return false; }
};

/// Options of MomentumOptimizer.
struct MomentumOptions {
  bool use_nesterov = false;  ///< Nesterov momentum
  std::string name = "Momentum";
};
/// m = momentum * m + g; w -= rate * m, or with Nesterov's momentum rate * (g + momentum * m).
class MomentumOptimizer final : public OptimizerBase<MomentumOptimizer> {
 public:
  MomentumOptimizer(const Tensor& learning_rate, const Tensor& momentum,
                    const MomentumOptions& options = {});

 private:
  void create_slots(const Variable& variable) override;
  void update(const Variable& variable, const Tensor& gradient) override;
  Tensor momentum_;
  bool use_nesterov_;
};

/// Options of AdamOptimizer.
struct AdamOptions {
  double beta1 = 0.9;     ///< decay of the mean of gradients
  double beta2 = 0.999;   ///< decay of the mean of their squares
  double epsilon = 1e-8;  ///< "epsilon hat" of Kingma and Ba, before section 2.1
  std::string name = "Adam";
};
/// Kingma and Ba 2014, with the variables "beta1_power" and "beta2_power".
class AdamOptimizer final : public OptimizerBase<AdamOptimizer> {
 public:
  explicit AdamOptimizer(const Tensor& learning_rate = 0.001, const AdamOptions& options = {});

 private:
  void create_slots(const Variable& variable) override;
  void prepare() override;
  void finish() override;
  void update(const Variable& variable, const Tensor& gradient) override;
  bool keeps_other_rows() const override { return false; }
  AdamOptions options_;
};

/// Options of AdagradOptimizer.
struct AdagradOptions {
  double initial_accumulator_value = 0.1;  ///< initial sums of squares
  std::string name = "Adagrad";
};
/// a += g^2; w -= rate * g / sqrt(a).
class AdagradOptimizer final : public OptimizerBase<AdagradOptimizer> {
 public:
  /// Throws ValueError unless the initial value is positive.
  explicit AdagradOptimizer(const Tensor& learning_rate, const AdagradOptions& options = {});

 private:
  void create_slots(const Variable& variable) override;
  void update(const Variable& variable, const Tensor& gradient) override;
  bool keeps_other_rows() const override { return false; }
  double initial_accumulator_value_;
};

/// Options of RMSPropOptimizer.
struct RMSPropOptions {
  double decay = 0.9;      ///< of the averages of squares
  double momentum = 0;     ///< share of the last update that is kept
  double epsilon = 1e-10;  ///< added to denominators
  bool centered = false;   ///< divides by the standard deviation instead of the root mean square
  std::string name = "RMSProp";
};
/// Slots: the mean square (initially 1), with `centered` the mean, the momentum.
class RMSPropOptimizer final : public OptimizerBase<RMSPropOptimizer> {
 public:
  explicit RMSPropOptimizer(const Tensor& learning_rate, const RMSPropOptions& options = {});

 private:
  void create_slots(const Variable& variable) override;
  void update(const Variable& variable, const Tensor& gradient) override;
  RMSPropOptions options_;
};

/// Options of FtrlOptimizer.
struct FtrlOptions {
  double learning_rate_power = -0.5;                ///< at most 0; 0: a constant rate
  double initial_accumulator_value = 0.1;           ///< initial sums of squares
  double l1_regularization_strength = 0;            ///< at least 0
  double l2_regularization_strength = 0;            ///< at least 0
  double l2_shrinkage_regularization_strength = 0;  ///< at least 0; a penalty on the loss
  double beta = 0;                                  ///< added to the root of the sums
  std::string name = "Ftrl";
};
/// Follow the regularized leader, McMahan et al. 2013.
class FtrlOptimizer final : public OptimizerBase<FtrlOptimizer> {
 public:
  /// Throws ValueError for a positive learning_rate_power, and for negative values elsewhere.
  explicit FtrlOptimizer(const Tensor& learning_rate, const FtrlOptions& options = {});

 private:
  void create_slots(const Variable& variable) override;
  void update(const Variable& variable, const Tensor& gradient) override;
  FtrlOptions options_;
};

/// Options of AdadeltaOptimizer.
struct AdadeltaOptions {
  double rho = 0.95;      ///< decay of the averages of squares
  double epsilon = 1e-8;  ///< added to denominators
  std::string name = "Adadelta";
};
/// Zeiler 2012.
class AdadeltaOptimizer final : public OptimizerBase<AdadeltaOptimizer> {
 public:
  explicit AdadeltaOptimizer(const Tensor& learning_rate = 0.001,
                             const AdadeltaOptions& options = {});

 private:
  void create_slots(const Variable& variable) override;
  void update(const Variable& variable, const Tensor& gradient) override;
  AdadeltaOptions options_;
};

/// Options of ProximalGradientDescentOptimizer.
struct ProximalOptions {
  double l1_regularization_strength = 0;  ///< at least 0
  double l2_regularization_strength = 0;  ///< at least 0
  std::string name = "ProximalGradientDescent";
};
/// FOBOS, Duchi and Singer 2009.
class ProximalGradientDescentOptimizer final
    : public OptimizerBase<ProximalGradientDescentOptimizer> {
 public:
  explicit ProximalGradientDescentOptimizer(const Tensor& learning_rate,
                                            const ProximalOptions& options = {});

 private:
  void update(const Variable& variable, const Tensor& gradient) override;
  ProximalOptions options_;
};

/// Options of ProximalAdagradOptimizer.
struct ProximalAdagradOptions {
  double initial_accumulator_value = 0.1;  ///< initial sums of squares
  double l1_regularization_strength = 0;   ///< at least 0
  double l2_regularization_strength = 0;   ///< at least 0
  std::string name = "ProximalAdagrad";
};
/// Adagrad with proximal steps for L1 and L2 penalties (tf.train.ProximalAdagradOptimizer).
class ProximalAdagradOptimizer final : public OptimizerBase<ProximalAdagradOptimizer> {
 public:
  /// Throws ValueError unless the initial value is positive.
  explicit ProximalAdagradOptimizer(const Tensor& learning_rate,
                                    const ProximalAdagradOptions& options = {});

 private:
  void create_slots(const Variable& variable) override;
  void update(const Variable& variable, const Tensor& gradient) override;
  ProximalAdagradOptions options_;
};

// Learning rates as functions of the global step: float32 scalars of the trace.

/// Options of exponential_decay(), natural_exp_decay(), inverse_time_decay().
struct DecayOptions {
  bool staircase = false;  ///< the quotient of steps is rounded down
};
/// rate * decay_rate ^ (global_step / decay_steps).
Tensor exponential_decay(double learning_rate, const Tensor& global_step, double decay_steps,
                         double decay_rate, DecayOptions options = {});
/// rate * exp(-decay_rate * global_step / decay_steps).
Tensor natural_exp_decay(double learning_rate, const Tensor& global_step, double decay_steps,
                         double decay_rate, DecayOptions options = {});
/// rate / (1 + decay_rate * global_step / decay_steps).
Tensor inverse_time_decay(double learning_rate, const Tensor& global_step, double decay_steps,
                          double decay_rate, DecayOptions options = {});
/// values[i] while x <= boundaries[i], then values.back(). Throws ValueError unless there is one
/// more value than there are boundaries.
Tensor piecewise_constant(const Tensor& x, const std::vector<double>& boundaries,
                          const std::vector<double>& values);
/// Options of polynomial_decay().
struct PolynomialDecayOptions {
  double end_learning_rate = 0.0001;  ///< rate after the last step
  double power = 1;                   ///< 1: a line
  bool cycle = false;                 ///< after decay_steps, decay over the next multiple of them
};
Tensor polynomial_decay(double learning_rate, const Tensor& global_step, double decay_steps,
                        const PolynomialDecayOptions& options = {});
/// rate * ((1 - alpha) * (1 + cos(pi * global_step / decay_steps)) / 2 + alpha).
Tensor cosine_decay(double learning_rate, const Tensor& global_step, double decay_steps,
                    double alpha = 0);

}  // namespace antler::estimator::train

namespace antler::estimator::tpu {

/// Averages the gradients of all replicas, then lets another optimizer apply them
/// (tf.compat.v1.tpu.CrossShardOptimizer). With one replica it is that optimizer.
class CrossShardOptimizer final : public train::OptimizerBase<CrossShardOptimizer> {
 public:
  explicit CrossShardOptimizer(train::OptimizerPtr optimizer);
  train::GradientsAndVariables compute_gradients(
      const Tensor& loss, const std::optional<Variables>& var_list = {}) override;
  TrainOp apply_gradients(const train::GradientsAndVariables& gradients,
                          const Variable& global_step = {}) override;

 private:
  void update(const Variable& variable, const Tensor& gradient) override;
  train::OptimizerPtr optimizer_;
};

}  // namespace antler::estimator::tpu
