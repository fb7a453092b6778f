#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/nn/optimizer.h"

namespace antler::optimizers {

/// Options of ScheduleFreeAdamW. For those that all optimizers have, see OptimizerBaseOptions.
struct ScheduleFreeAdamWOptions {
  LearningRate learning_rate = 0.0025;  ///< a number or a schedule
  double beta_1 = 0.9;       ///< where gradients are computed: 0 at the iterate, 1 at the average
  double beta_2 = 0.999;     ///< decay of the mean of squared gradients
  double epsilon = 1e-8;     ///< added to denominators
  int64_t warmup_steps = 0;  ///< number of steps over which the rate grows linearly
  std::optional<double> weight_decay = {};
  std::optional<double> clipnorm = {};
  std::optional<double> clipvalue = {};
  std::optional<double> global_clipnorm = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  std::string name = {};
};

/// Applies Adam's steps to an iterate z, the slot "momentum". The weights are between z and the
/// average x of its past values: w = (1 - beta_1) z + beta_1 x. Defazio et al. 2024. As with
/// Keras's default backend, x is computed from the weights and the new z.
class ScheduleFreeAdamW : public OptimizerOf<ScheduleFreeAdamW, ScheduleFreeAdamWOptions> {
 public:
  explicit ScheduleFreeAdamW(const ScheduleFreeAdamWOptions& options = {});
  template <std::convertible_to<LearningRate> R>
  explicit ScheduleFreeAdamW(const R& learning_rate, ScheduleFreeAdamWOptions options = {})
      : ScheduleFreeAdamW(by_position<&ScheduleFreeAdamWOptions::learning_rate>(
            "ScheduleFreeAdamW", std::move(options), learning_rate)) {}
  ANTLER_KEYWORD_CONSTRUCTORS_LIKE(ScheduleFreeAdamW, ScheduleFreeAdamWOptions, LearningRate)

 protected:
  void build_slots(const Variables& variables) override;
  void update_step(const Tensor& gradient, const Variable& variable,
                   const Tensor& learning_rate) override;
};

}  // namespace antler::optimizers
