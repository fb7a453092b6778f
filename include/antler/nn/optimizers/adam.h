#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "antler/core/keyword.h"
#include "antler/nn/optimizer.h"

namespace antler::optimizers {

/// Options of Adam. For those that all optimizers have, see OptimizerBaseOptions.
struct AdamOptions {
  LearningRate learning_rate = 0.001;  ///< a number or a schedule
  double beta_1 = 0.9;                 ///< decay of the mean of gradients
  double beta_2 = 0.999;               ///< decay of the mean of their squares
  double epsilon = 1e-7;               ///< added to denominators
  bool amsgrad = false;                ///< use the largest average of squares so far
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

/// m += (g - m)(1 - beta_1), v += (g^2 - v)(1 - beta_2),
/// w -= lr sqrt(1 - beta_2^t) / (1 - beta_1^t) m / (sqrt(v) + epsilon). `amsgrad` takes the largest
/// v so far. Kingma and Ba 2014; epsilon is their "epsilon hat".
class Adam : public OptimizerOf<Adam, AdamOptions> {
 public:
  explicit Adam(const AdamOptions& options = {});
  template <std::convertible_to<LearningRate> R>
  explicit Adam(const R& learning_rate, AdamOptions options = {})
      : Adam(by_position<&AdamOptions::learning_rate>("Adam", std::move(options), learning_rate)) {}
  ANTLER_KEYWORD_CONSTRUCTORS_LIKE(Adam, AdamOptions, LearningRate)

 protected:
  Adam(std::string class_name, const AdamOptions& options);
  void build_slots(const Variables& variables) override;
  void update_step(const Tensor& gradient, const Variable& variable,
                   const Tensor& learning_rate) override;
};

}  // namespace antler::optimizers
