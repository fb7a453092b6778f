#pragma once

#include <cstdint>
#include <string>

#include "antler/core/keyword.h"
#include "antler/nn/optimizer.h"

namespace antler::optimizers {

/// Options of LossScaleOptimizer.
struct LossScaleOptimizerOptions {
  double initial_scale = 32768;         ///< initial factor of the loss
  int64_t dynamic_growth_steps = 2000;  ///< finite steps in a row after which the scale doubles
  std::string name = {};
};

/// Scales the loss, so that gradients of half-precision models do not underflow, and divides the
/// gradients by the same factor before `inner_optimizer` applies them. A step whose gradients are
/// not all finite is skipped and halves the factor. Learning rate and iterations are those of the
/// inner optimizer.
class LossScaleOptimizer : public OptimizerBase<LossScaleOptimizer> {
 public:
  /// The inner optimizer's own loss scaling is switched off.
  explicit LossScaleOptimizer(OptimizerPtr inner_optimizer,
                              const LossScaleOptimizerOptions& options = {});
  explicit LossScaleOptimizer(const Optimizer& inner_optimizer,
                              const LossScaleOptimizerOptions& options = {});
  ANTLER_KEYWORD_CONSTRUCTOR(LossScaleOptimizer, LossScaleOptimizerOptions, OptimizerPtr)
  ANTLER_KEYWORD_CONSTRUCTOR(LossScaleOptimizer, LossScaleOptimizerOptions, const Optimizer&)
  const OptimizerPtr& inner_optimizer() const { return inner_; }
  /// The factor of the loss, a float32 scalar.
  Tensor dynamic_scale() const;

  Variable iterations() const override;
  Tensor update_count() const override;
  Tensor learning_rate() const override;
  void set_learning_rate(double value) override;
  bool has_schedule() const override;
  void build(const Variables& variables) override;
  void apply(const Tensors& gradients, const Variables& variables) override;
  Variables variables() const override;
  void finalize_variable_values(const Variables& variables) override;
  Tensor scale_loss(const Tensor& loss) const override;
  Json get_config() const override;

 protected:
  void build_slots(const Variables& variables) override;
  void update_step(const Tensor& gradient, const Variable& variable,
                   const Tensor& learning_rate) override;

 private:
  OptimizerPtr inner_;
  LossScaleOptimizerOptions options_;
};

}  // namespace antler::optimizers
