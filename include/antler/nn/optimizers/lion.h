#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/nn/optimizer.h"

namespace antler::optimizers {

/// Options of Lion. For those that all optimizers have, see OptimizerBaseOptions.
struct LionOptions {
  LearningRate learning_rate = 0.001;  ///< a number or a schedule
  double beta_1 = 0.9;                 ///< weight of the mean gradient in an update
  double beta_2 = 0.99;                ///< decay of the mean gradient
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

/// w -= lr sign(beta_1 m + (1 - beta_1) g), m = beta_2 m + (1 - beta_2) g. Chen et al. 2023.
class Lion : public OptimizerOf<Lion, LionOptions> {
 public:
  explicit Lion(const LionOptions& options = {});
  template <std::convertible_to<LearningRate> R>
  explicit Lion(const R& learning_rate, LionOptions options = {})
      : Lion(by_position<&LionOptions::learning_rate>("Lion", std::move(options), learning_rate)) {}
  ANTLER_KEYWORD_CONSTRUCTORS_LIKE(Lion, LionOptions, LearningRate)

 protected:
  void build_slots(const Variables& variables) override;
  void update_step(const Tensor& gradient, const Variable& variable,
                   const Tensor& learning_rate) override;
};

}  // namespace antler::optimizers
