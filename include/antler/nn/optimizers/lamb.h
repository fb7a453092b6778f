#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/nn/optimizer.h"

namespace antler::optimizers {

/// Options of Lamb. For those that all optimizers have, see OptimizerBaseOptions.
struct LambOptions {
  LearningRate learning_rate = 0.001;  ///< a number or a schedule
  double beta_1 = 0.9;                 ///< decay of the mean of gradients
  double beta_2 = 0.999;               ///< decay of the mean of their squares
  double epsilon = 1e-7;               ///< added to denominators
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

/// Adam's step, scaled to the length of the weights, You et al. 2019.
class Lamb : public OptimizerOf<Lamb, LambOptions> {
 public:
  explicit Lamb(const LambOptions& options = {});
  template <std::convertible_to<LearningRate> R>
  explicit Lamb(const R& learning_rate, LambOptions options = {})
      : Lamb(by_position<&LambOptions::learning_rate>("Lamb", std::move(options), learning_rate)) {}
  ANTLER_KEYWORD_CONSTRUCTORS_LIKE(Lamb, LambOptions, LearningRate)

 protected:
  void build_slots(const Variables& variables) override;
  void update_step(const Tensor& gradient, const Variable& variable,
                   const Tensor& learning_rate) override;
};

}  // namespace antler::optimizers
